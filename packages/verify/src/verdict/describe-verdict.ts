import type { BrokenGuarantee, Verdict } from './verdict.js';

/** Highlights text that reports a success or a failure. */
export type Emphasize = (style: 'green' | 'red', text: string) => string;

/** The number of violations shown for each broken guarantee. */
const MOST_VIOLATIONS = 5;
/** The number of ids shown for each violation. */
const MOST_IDS = 4;

/** Formats a verdict as lines of text. */
export function describeVerdict(verdict: Verdict, emphasize: Emphasize = (_style, text) => text): string[] {
  const { jobs, faults, processes, slowestRecoveryMs, seed, checked, broken, journals } = verdict;
  const rows: (readonly [string, string])[] = [
    ['enqueued', `${countOf(jobs.enqueued, 'job')}; ${jobs.notEnqueued} rolled back or rejected by a unique key`],
    [
      'ended',
      `${jobs.succeeded} succeeded, ${jobs.failed} failed, ${jobs.cancelled} cancelled, ${jobs.expired} expired`,
    ],
    ['attempts', `${jobs.attempts} in ${processes.started} processes`],
    ['run again', `${countOf(jobs.reruns, 'time')}${causesOf(jobs.rerunsByFault)}`],
    ['rejected', `${countOf(jobs.rejected, 'outcome')} of workers that had lost their jobs`],
    ['recovered', countOf(jobs.recovered, 'job')],
    ['slowest recovery', slowestRecoveryMs === null ? 'none needed' : `${(slowestRecoveryMs / 1000).toFixed(1)} s`],
    ['faults', Object.keys(faults).length === 0 ? 'none' : listCounts(faults)],
    ['seed', String(seed)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const kept = checked.filter((name) => !broken.some(({ invariant }) => invariant === name)).length;
  const summary =
    broken.length === 0
      ? emphasize('green', `All ${checked.length} guarantees hold.`)
      : emphasize('red', `${kept} of ${checked.length} guarantees hold.`);
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    ...describeBroken(broken, emphasize),
    summary,
    ...(journals === undefined ? [] : [`Records and logs of all processes: ${journals}`]),
  ];
}

function describeBroken(broken: readonly BrokenGuarantee[], emphasize: Emphasize): string[] {
  const names = new Set(broken.map(({ invariant }) => invariant));
  return [...names].flatMap((name) => {
    const own = broken.filter(({ invariant }) => invariant === name);
    const more = own.length - MOST_VIOLATIONS;
    return [
      `${emphasize('red', 'broken')}  ${name}: ${own[0]?.guarantee ?? ''}`,
      ...own.slice(0, MOST_VIOLATIONS).map(({ text, ids }) => `        ${text}${listIds(ids)}`),
      ...(more > 0 ? [`        … and ${more} more`] : []),
      '',
    ];
  });
}

function listIds(ids: readonly string[]): string {
  const more = ids.length - MOST_IDS;
  return ids.length === 0 ? '' : ` [${ids.slice(0, MOST_IDS).join(', ')}${more > 0 ? `, and ${more} more` : ''}]`;
}

function causesOf(byFault: Readonly<Record<string, number>>): string {
  return Object.keys(byFault).length === 0 ? '' : `, because of ${listCounts(byFault)}`;
}

function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ');
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
