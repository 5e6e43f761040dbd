import { useMemo, useRef } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';

import type { JobFilter } from '../../contract.js';
import { MINUTE, minute } from '../../format/times.js';
import { STATES } from '../../format/labels.js';
import { pathTo } from '../../components/link.js';

/** The filters and the cursor in the URL. */
export interface JobQuery extends Omit<JobFilter, 'from' | 'to'> {
  /** Back from now, in ms. A shared URL means the last hour of the time when it is opened. */
  readonly within?: string;
  /** Between two times, in ms since 1970. A shared URL means the same time in every time zone. */
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
}

export const TEXT_FILTERS = ['queue', 'name', 'key', 'tenant', 'error', 'fingerprint', 'within', 'from', 'to'] as const;

const TIME = /^\d{1,15}$/;

export function useJobQuery() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const query = useMemo(() => parseQuery(search), [search]);
  /** Returns to the first page. */
  const change = (changes: Partial<JobQuery>, options?: { replace: boolean }) =>
    navigate(pathTo('/jobs', { ...query, cursor: undefined, ...changes }), options);
  const clear = () => navigate(pathTo('/jobs', { state: query.state }));
  return { query, change, clear };
}

/**
 * Returns the filter of the request. "Last hour" moves on once a minute: each change of the filter is a new request.
 *
 * @param isHeld true if the list must not change, for example while jobs are selected.
 */
export function useFilter(query: JobQuery, isHeld: boolean): JobFilter {
  const used = useRef({ query, until: minute.value });
  if (used.current.query !== query || (!isHeld && used.current.until !== minute.value)) {
    used.current = { query, until: minute.value };
  }
  const { until } = used.current;
  return useMemo(() => toFilter(query, until), [query, until]);
}

function parseQuery(search: string): JobQuery {
  const parameters = new URLSearchParams(search);
  const texts = ['cursor', ...TEXT_FILTERS].flatMap((name) => {
    const text = parameters.get(name);
    return text ? [[name, text] as const] : [];
  });
  const state = STATES.find((known) => known === parameters.get('state')) ?? 'running';
  const { from, to, ...others } = Object.fromEntries(texts) as Partial<JobQuery>;
  return {
    state,
    ...others,
    ...(from !== undefined && TIME.test(from) && { from }),
    ...(to !== undefined && TIME.test(to) && { to }),
  };
}

function toFilter({ cursor: _cursor, within, from, to, ...query }: JobQuery, until: number): JobFilter {
  const back = Number(within);
  if (back > 0) {
    // Scheduled jobs that are due in the future are not part of "last hour".
    return { ...query, from: until - back, ...(query.state === 'scheduled' && { to: until + MINUTE }) };
  }
  return { ...query, ...(from && { from: Number(from) }), ...(to && { to: Number(to) }) };
}

export const isFiltered = (query: JobQuery): boolean => TEXT_FILTERS.some((name) => query[name] !== undefined);
