/** The words for the properties of a filter. */
const FILTER: Readonly<Record<string, (value: string) => string>> = {
  queue: (value) => `queue ${value}`,
  name: (value) => `named ${value}`,
  key: (value) => `key ${value}`,
  tenant: (value) => `tenant ${value}`,
  errorIncludes: (value) => `error contains “${value}”`,
  errorFingerprint: (value) => `error ${value}`,
  from: (value) => `from ${timeOf(value)}`,
  before: (value) => `before ${timeOf(value)}`,
};

/** Describes the detail of an entry of the audit log, or of a bulk operation. Null without a detail. */
export function detailInWords(detail: unknown): string | null {
  if (typeof detail !== 'object' || detail === null) {
    return typeof detail === 'string' ? detail : null;
  }
  const { filter, ids, bulk: _bulk, ...others } = detail as Record<string, unknown>;
  const parts = [
    ...(typeof filter === 'object' && filter !== null ? [filterInWords(filter)] : []),
    ...(Array.isArray(ids) ? [ids.length === 1 ? `job ${ids[0]}` : `${ids.length} selected jobs`] : []),
    ...Object.entries(others).map(([name, value]) => `${name} ${valueInWords(value)}`),
  ];
  return parts.join(', ') || null;
}

function filterInWords({ state, ...filter }: { readonly state?: unknown }): string {
  const parts = Object.entries(filter).flatMap(([name, value]) => FILTER[name]?.(String(value)) ?? []);
  return [`all ${String(state)} jobs`, ...parts].join(', ');
}

function valueInWords(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, inner]) => `${name} ${valueInWords(inner)}`)
        .join(' ')
    : String(value);
}

function timeOf(value: string): string {
  return new Date(value).toISOString().replace(/\.000Z$/, 'Z');
}
