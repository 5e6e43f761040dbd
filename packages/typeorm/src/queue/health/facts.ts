import type { Finding } from '../../doctor/finding.js';
import type { ResolvedMaintenance } from '../../maintenance/intervals.js';
import type { UnhandledSubscriptions } from '../../store/events/count-unhandled.js';
import type { BlockedKeys } from '../../store/ordered/count-blocked-keys.js';
import type { AttemptRate } from '../../store/reports/find-attempt-rates.js';
import type { FailedJobsOfQueue } from '../../store/reports/find-failed.js';
import type { LongRuns } from '../../store/reports/find-long-runs.js';
import type { StaleState } from '../../store/reports/find-stale-state.js';
import type { MissedTicks } from '../../store/schedules/find-missed-ticks.js';
import type { RegisteredWorker } from '../../store/workers/find-workers.js';

/** The oldest ready job of a queue. */
export interface BacklogHealth {
  /** The name of the queue. */
  readonly queue: string;
  /** How long the job has been due, in ms. */
  readonly age: number;
  /** Whether the queue is paused. */
  readonly isPaused: boolean;
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

/** The limits of a check, in ms. */
export interface HealthLimits {
  /** The limit that the application has set for the backlog of a queue; undefined if there is none. */
  readonly backlogAge: (queue: string) => number | undefined;
  /** The limit that the application has set; undefined if there is none. */
  readonly transactionAge: number | undefined;
}

/** What was read from the database. Undefined: the account may not read it. */
export interface HealthReadings {
  readonly backlog: readonly (BacklogHealth & { readonly pausedFor: number | undefined })[];
  readonly oldestTransaction: number | 'none' | 'unknown';
  readonly failed: readonly FailedJobsOfQueue[];
  readonly blocked: BlockedKeys | undefined;
  readonly unhandled: UnhandledSubscriptions | undefined;
  readonly stale: StaleState | undefined;
  /** The ids of groups that have lost rows of their members. */
  readonly incomplete: readonly string[] | undefined;
  readonly workers: readonly RegisteredWorker[] | undefined;
  readonly rates: readonly AttemptRate[] | undefined;
  readonly longRuns: readonly LongRuns[] | undefined;
  readonly missed: MissedTicks | undefined;
  /** The findings of the doctor's cheap checks; undefined before they have run. */
  readonly findings: readonly Finding[] | undefined;
}

/** Everything that the verdict depends on. */
export interface HealthFacts {
  /** An error if the database has not answered in time, or with an error. */
  readonly readings: HealthReadings | Error;
  /** The workers of this process. */
  readonly started: readonly WorkerHealth[];
  readonly limits: HealthLimits;
}

/** The facts that a kind of problem is found in, if the database has answered. */
export interface ReadFacts extends Omit<HealthFacts, 'readings'> {
  readonly readings: HealthReadings;
}
