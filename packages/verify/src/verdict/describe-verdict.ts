import type { BrokenPromise, Verdict } from './verdict.js';

/** A way to show what is good and what is not. */
export type Emphasise = (style: 'green' | 'red', text: string) => string;

/** How many broken promises of a kind are told one by one. */
const SHOWN = 5;
/** How many jobs are named for each. */
const NAMED = 4;

/** A verdict for people, line by line. */
export function describeVerdict(verdict: Verdict, emphasise: Emphasise = (_style, text) => text): string[] {
  const { jobs, faults, processes, slowestRecoveryMs, seed, checked, broken, journals } = verdict;
  const rows: (readonly [string, string])[] = [
    ['enqueued', `${countOf(jobs.enqueued, 'job')}; ${jobs.notEnqueued} rolled back, or kept out by a unique key`],
    ['ended', `${jobs.succeeded} succeeded, ${jobs.failed} failed, ${jobs.cancelled} cancelled`],
    ['run', `${countOf(jobs.runs, 'time')} in ${processes.started} processes`],
    ['run again', `${countOf(jobs.reruns, 'time')}${because(jobs.rerunsByFault)}`],
    ['refused', `${countOf(jobs.refused, 'outcome')} of workers that had lost their jobs`],
    ['recovered', countOf(jobs.recovered, 'job')],
    ['slowest recovery', slowestRecoveryMs === null ? 'none was needed' : `${(slowestRecoveryMs / 1000).toFixed(1)} s`],
    ['faults', Object.keys(faults).length === 0 ? 'none' : list(faults)],
    ['seed', String(seed)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const kept = checked.filter((name) => !broken.some(({ invariant }) => invariant === name)).length;
  const summary =
    broken.length === 0
      ? emphasise('green', `All ${checked.length} promises were kept.`)
      : emphasise('red', `${kept} of ${checked.length} promises were kept.`);
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    ...describeBroken(broken, emphasise),
    summary,
    ...(journals === undefined ? [] : [`What each process has noted: ${journals}`]),
  ];
}

function describeBroken(broken: readonly BrokenPromise[], emphasise: Emphasise): string[] {
  const names = new Set(broken.map(({ invariant }) => invariant));
  return [...names].flatMap((name) => {
    const own = broken.filter(({ invariant }) => invariant === name);
    const more = own.length - SHOWN;
    return [
      `${emphasise('red', 'broken')}  ${name}: ${own[0]?.promise ?? ''}`,
      ...own.slice(0, SHOWN).map(({ text, ids }) => `        ${text}${ids.length > 0 ? ` ${named(ids)}` : ''}`),
      ...(more > 0 ? [`        … and ${more} more`] : []),
      '',
    ];
  });
}

function named(ids: readonly string[]): string {
  const more = ids.length - NAMED;
  return `[${ids.slice(0, NAMED).join(', ')}${more > 0 ? `, and ${more} more` : ''}]`;
}

function because(byFault: Readonly<Record<string, number>>): string {
  return Object.keys(byFault).length === 0 ? '' : `, because of ${list(byFault)}`;
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ');
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
