import ms from 'ms';

/** What can be wrong, worst first within a severity. Each has one meaning: see the page about health checks. */
export const PROBLEM_KINDS = [
  'database-down',
  'lease-lost',
  'no-worker',
  'missed-ticks',
  'abandoned-jobs',
  'dead-workers',
  'maintenance-overdue',
  'failing-attempts',
  'late-backlog',
  'stuck-jobs',
  'blocked-workers',
  'blocked-keys',
  'incomplete-groups',
  'orphaned-jobs',
  'unhandled-subscriptions',
  'clock-went-back',
  'long-transaction',
  'held-purge',
  'database-findings',
  'failed-jobs',
  'paused-queues',
] as const;

/** What can be wrong. Each has one meaning: see the page about health checks. */
export type HealthProblemKind = (typeof PROBLEM_KINDS)[number];

/** The severities, worst first. */
export const SEVERITIES = ['critical', 'warning', 'notice'] as const;

/**
 * `critical`: jobs do not run. `warning`: jobs are late, fail, or will not end without a change. `notice`: nothing is
 * broken, but a decision is due.
 */
export type HealthSeverity = (typeof SEVERITIES)[number];

/** Something that is wrong: one for each kind, however many jobs or queues it concerns. */
export interface HealthProblem {
  readonly kind: HealthProblemKind;
  readonly severity: HealthSeverity;
  /** What is wrong, in one sentence with the figures. */
  readonly message: string;
  /** Since when, by the clock of this process; undefined if that is unknown. */
  readonly since: Date | undefined;
  /** How many jobs, queues, workers, tasks, keys or schedules are affected. */
  readonly count: number;
  /** Up to three of them: the names of queues, schedules or tasks, or the ids of jobs. */
  readonly examples: readonly string[];
  /** What it does to jobs. */
  readonly harm: string;
  /** What to do. */
  readonly action: string;
  /** Whether `isHealthy` is false: it prevents this process from working, or exceeds a limit that you have set. */
  readonly failsCheck: boolean;
}

/** A problem with the queues that it concerns. */
export interface FoundProblem extends HealthProblem {
  /** All queues that it concerns; empty if it does not concern certain queues. */
  readonly queues: readonly string[];
}

type Optional = 'since' | 'failsCheck' | 'queues';

/** Makes a problem, with the first three examples. */
export function problem(found: Omit<FoundProblem, Optional> & Partial<Pick<FoundProblem, Optional>>): FoundProblem {
  return { since: undefined, failsCheck: false, queues: [], ...found, examples: found.examples.slice(0, MOST_NAMED) };
}

/** How many examples a problem has. */
const MOST_NAMED = 3;

/** The first of some names as the end of a sentence: `a, b.` or `a, b, c, …`. */
export function named(names: readonly string[], count = names.length): string {
  return names.slice(0, MOST_NAMED).join(', ') + (count > Math.min(names.length, MOST_NAMED) ? ', …' : '.');
}

/** A count with its noun: `1 job`, `2 jobs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A duration in its largest unit: `5 minutes`. */
export function span(milliseconds: number): string {
  return ms(Math.max(0, Math.round(milliseconds)), { long: true });
}

/** @returns undefined for an unknown time. */
export function ago(milliseconds: number | undefined): Date | undefined {
  return milliseconds === undefined ? undefined : new Date(Date.now() - milliseconds);
}

/** The longest of some durations; undefined if there are none. */
export function longest(milliseconds: readonly number[]): number | undefined {
  return milliseconds.length === 0 ? undefined : Math.max(...milliseconds);
}
