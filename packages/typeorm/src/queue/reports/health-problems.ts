import type { ResolvedMaintenance } from '../../maintenance/intervals.js';
import type { BlockedKeys } from '../../store/ordered/count-blocked-keys.js';
import type { UnhandledSubscriptions } from '../../store/events/count-unhandled.js';
import type { StaleState } from '../../store/reports/find-stale-state.js';

/** What can be wrong. Each has one meaning: see the page about health checks. */
export type HealthProblemKind =
  | 'database-down'
  | 'lease-lost'
  | 'late-backlog'
  | 'long-transaction'
  | 'orphaned-jobs'
  | 'abandoned-jobs'
  | 'maintenance-overdue'
  | 'clock-went-back'
  | 'incomplete-groups'
  | 'blocked-keys'
  | 'unhandled-subscriptions';

/** The oldest ready job of a queue. */
export interface BacklogHealth {
  /** The name of the queue. */
  readonly queue: string;
  /** How long the job has been due, in ms. */
  readonly age: number;
  /** Whether the queue is paused. */
  readonly isPaused: boolean;
}

/** Something that is wrong, as data: for alerts, and for people who decide what to do. */
export interface HealthProblem {
  readonly kind: HealthProblemKind;
  /** What is wrong, in one sentence with the figures. */
  readonly message: string;
  /** Since when, by the clock of this process; undefined if that is unknown. */
  readonly since: Date | undefined;
  /** How many jobs, queues, tasks or schedules are affected. */
  readonly count: number;
  /** What it does to jobs. */
  readonly harm: string;
  /** What to do. */
  readonly action: string;
}

/** The health of a worker of this process. */
export interface WorkerHealth {
  readonly holdsLease: boolean;
  /** Jobs that are marked as running by this worker, which does not run them; and since when that is known. */
  readonly orphanedJobs: { readonly count: number; readonly since: Date | undefined };
  /** The intervals of its maintenance tasks, in ms; undefined without maintenance. */
  readonly maintenance: ResolvedMaintenance | undefined;
  /** When it started, by `performance.now()`. */
  readonly startedAt: number;
}

/** How much later than its interval a task may run, in ms. */
const MAINTENANCE_TOLERANCE = 60_000;

export function databaseDown({ message }: Error): HealthProblem {
  return {
    kind: 'database-down',
    message,
    since: undefined,
    count: 1,
    harm: 'This process enqueues and runs no jobs.',
    action: 'Check that the database server runs and accepts connections.',
  };
}

export function leaseLost(): HealthProblem {
  return {
    kind: 'lease-lost',
    message: 'The worker of this process has lost its lease.',
    since: undefined,
    count: 1,
    harm: 'It claims no jobs, and other workers run the jobs it had.',
    action: 'Nothing, if it lasts for seconds: the worker registers again. Otherwise check its logs.',
  };
}

/** @param limit in ms. */
export function lateBacklog({ queue, age, isPaused }: BacklogHealth, limit: number): HealthProblem[] {
  return isPaused || age <= limit
    ? []
    : [
        {
          kind: 'late-backlog',
          message: `The oldest ready job of queue "${queue}" has been due for ${age} ms, more than ${limit} ms.`,
          since: ago(age),
          count: 1,
          harm: 'Its jobs start late.',
          action: 'Check that workers run, raise their concurrency, or start more of them.',
        },
      ];
}

/** @param limit in ms. */
export function longTransaction(age: number | string, limit: number): HealthProblem[] {
  return typeof age !== 'number' || age <= limit
    ? []
    : [
        {
          kind: 'long-transaction',
          message: `A transaction has been open for ${age} ms, more than ${limit} ms.`,
          since: ago(age),
          count: 1,
          harm: 'The server cannot purge the index entries that jobs have left, so claims get slower.',
          action: 'End it, or find out which session it belongs to in information_schema.INNODB_TRX.',
        },
      ];
}

/** Finds what Tablequeue mends, or concerns other processes too. */
export function staleStateProblems(state: StaleState, workers: readonly WorkerHealth[]): HealthProblem[] {
  return [...orphanedJobs(workers), ...abandonedJobs(state), ...maintenance(state, workers), ...clock(state)];
}

function orphanedJobs(workers: readonly WorkerHealth[]): HealthProblem[] {
  return workers.flatMap(({ orphanedJobs: { count, since } }) =>
    count === 0
      ? []
      : {
          kind: 'orphaned-jobs',
          message: `${count} jobs are marked as running by the worker of this process, which does not run them.`,
          since,
          count,
          harm: 'They keep their unique keys and their slots of limits.',
          action:
            'Nothing: the worker returns them. If it happens again, the server loses commits: check its settings.',
        },
  );
}

function abandonedJobs({ abandonedLanes: count, abandonedFor }: StaleState): HealthProblem[] {
  return count === 0
    ? []
    : [
        {
          kind: 'abandoned-jobs',
          message: `Jobs of dead workers are still running in ${count} lanes of queues.`,
          since: ago(abandonedFor),
          count,
          harm: 'They do not run again, and keep their unique keys and their slots of limits.',
          action: 'Start a worker with maintenance, or check why the reaper fails in the logs of the workers.',
        },
      ];
}

function maintenance({ tasks }: StaleState, workers: readonly WorkerHealth[]): HealthProblem[] {
  return workers.flatMap(({ maintenance: intervals, startedAt }) => {
    // The scheduler has no row: each process runs it.
    const overdue = Object.entries(intervals ?? {}).flatMap(([task, interval]) => {
      const patience = 2 * interval + MAINTENANCE_TOLERANCE;
      const found = tasks.find((each) => each.task === task);
      const dueIn = found?.dueIn ?? startedAt - performance.now();
      return task === 'scheduler' || Math.abs(dueIn) <= patience ? [] : [{ task, lateBy: Math.max(0, -dueIn) }];
    });
    return overdue.length === 0
      ? []
      : {
          kind: 'maintenance-overdue',
          message: `Maintenance has not run in time: ${overdue.map(({ task }) => task).join(', ')}.`,
          since: ago(Math.max(...overdue.map(({ lateBy }) => lateBy))),
          count: overdue.length,
          harm: 'Jobs of dead workers, delayed jobs of queues without a worker, and old jobs stay as they are.',
          action: 'Check why the task fails in the logs of the workers.',
        };
  });
}

function clock({ schedulesAhead: count }: StaleState): HealthProblem[] {
  return count === 0
    ? []
    : [
        {
          kind: 'clock-went-back',
          message: `The next ticks of ${count} schedules were calculated while the database's clock was ahead.`,
          since: undefined,
          count,
          harm: 'Their jobs are not enqueued until the clock is there again.',
          action: 'Start a worker with maintenance: its scheduler calculates them again.',
        },
      ];
}

/** How many groups a message names. */
const MOST_NAMED = 3;

/** @param ids the groups that have lost rows of their members. */
export function incompleteGroups(ids: readonly string[]): HealthProblem[] {
  const named = ids.slice(0, MOST_NAMED).join(', ');
  return ids.length === 0
    ? []
    : [
        {
          kind: 'incomplete-groups',
          message:
            `${ids.length} groups have lost rows of their members: ` +
            `${named}${ids.length > MOST_NAMED ? ', …' : '.'}`,
          since: undefined,
          count: ids.length,
          harm: 'Their callbacks do not run.',
          action:
            'Wait for the pruner, which restores the rows of unfinished members. Then check whether the others have ' +
            'succeeded, cancel the waiting callbacks that groups.find shows, and retry those that must run.',
        },
      ];
}

export function blockedKeys({ count, first }: BlockedKeys): HealthProblem[] {
  const named = first.map(({ name, key }) => `"${key}" of ${name}`).join(', ');
  return count === 0
    ? []
    : [
        {
          kind: 'blocked-keys',
          message: `${count} order keys are blocked, because a job has failed: ${named}${count > first.length ? ', …' : '.'}`,
          since: first[0] && new Date(first[0].blockedAt),
          count,
          harm: 'The later jobs of these keys do not run.',
          action: 'Retry the failed jobs, or go on without them: see jobs.listBlockedKeys and jobs.skip.',
        },
      ];
}

export function unhandledSubscriptions({ count, first }: UnhandledSubscriptions): HealthProblem[] {
  const named = first.map(({ name, event }) => `"${name}" of ${event}`).join(', ');
  return count === 0
    ? []
    : [
        {
          kind: 'unhandled-subscriptions',
          message: `No worker handles ${count} subscriptions: ${named}${count > first.length ? ', …' : '.'}`,
          since: first[0] && new Date(first[0].since),
          count,
          harm: 'Each event that is published stores a job for them, which waits.',
          action: 'Start a worker with their handlers, or remove them: see subscriptions.remove.',
        },
      ];
}

/** @returns undefined for an unknown time. */
function ago(milliseconds: number | undefined): Date | undefined {
  return milliseconds === undefined ? undefined : new Date(Date.now() - milliseconds);
}
