import type { Results } from './results.js';
import type { Verdict } from './targets.js';

const COLUMNS = [
  'bulk /s',
  'in flight /s',
  'by 20 /s',
  'sequential /s',
  'drain /s',
  'drain client µs',
  'drain server µs',
  'drain client MB',
  'drain server MB',
  'latency p50 ms',
  'latency p99 ms',
];

/** The rates and costs of every subject: medians, and behind ± half of how far the rounds lie apart. */
export function ratesTable(results: Results): string {
  const subjects = results.subjects.filter((subject) => results.metricsOf(subject).includes('bulk /s'));
  return table(
    ['', ...COLUMNS],
    subjects.map((subject) => [subject, ...COLUMNS.map((metric) => cell(results, subject, metric))]),
  );
}

/** What was measured of one queue only. */
export function otherTable(results: Results): string {
  const rows = results.subjects.flatMap((subject) =>
    results
      .metricsOf(subject)
      .filter(
        (metric) => !COLUMNS.includes(metric) && !/^(bulk|in flight|by 20|sequential) (client|server)/.test(metric),
      )
      .map((metric) => [subject, metric, cell(results, subject, metric)]),
  );
  return table(['', 'measured', 'value'], rows);
}

/** The targets, with what came out. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  return table(
    ['target', 'bound', 'measured', ''],
    verdicts.map(({ target, bound, value, isMet }) => [target, bound, rounded(value), isMet ? 'met' : 'MISSED']),
  );
}

function cell(results: Results, subject: string, metric: string): string {
  const value = results.median(subject, metric);
  if (Number.isNaN(value)) {
    return '–';
  }
  const spread = results.spread(subject, metric);
  return spread > 0 ? `${rounded(value)} ±${Math.round(spread * 50)}%` : rounded(value);
}

function rounded(value: number): string {
  if (Number.isNaN(value)) {
    return 'not measured';
  }
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

/** As Markdown, so that it can be pasted into a document; empty without results. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) {
    return '';
  }
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => '-'.repeat(width - (column === 0 ? 0 : 1)) + (column === 0 ? '' : ':')).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
