import { type Engine, executeRead } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import type { Dialect } from '../../engine/dialect.js';
import { findLanes } from '../../store/base/order/find-lanes.js';
import type { JobCount } from '../../store/base/jobs/job-count.js';
import { type QueueCounts, countJobs } from '../../store/reports/count-jobs.js';
import { type CountedFailures, countFailures } from '../../store/reports/count-failures.js';
import { type OldestReady, findOldestReady } from '../../store/reports/find-oldest-ready.js';
import { type RegisteredWorker, findWorkers } from '../../store/workers/find-workers.js';
import { type StoredSettings, findQueueSettings } from '../../store/base/queue-settings.js';
import { readClock } from '../../store/base/read-clock.js';
import { findSchedules } from '../../store/schedules/find-schedules.js';
import type { StoredSchedule } from '../../store/schedules/schedule-row.js';
import { LIVE_STATES, type LiveState } from '../../tables/job.js';

export interface QueueStats {
  readonly queue: string;
  readonly counts: Readonly<Record<LiveState, JobCount>>;
  /** How long the oldest ready job has been due, in ms; undefined if none is ready. */
  readonly oldestReadyAge: number | undefined;
  /** How many of the counted failures are of this queue. */
  readonly failed: number;
  /** When it was paused, in ms; undefined if it is not. */
  readonly pausedAt: number | undefined;
}

/** The numbers of all queues. Times are in ms since 1970, by the database's clock. */
export interface DatabaseStats {
  readonly takenAt: number;
  /** The queues with live jobs, recent failures or settings, by name. */
  readonly queues: readonly QueueStats[];
  /** How many jobs have failed within `failedWithin` ms. */
  readonly failed: JobCount;
  readonly failedWithin: number;
  readonly workers: readonly RegisteredWorker[];
  readonly schedules: readonly StoredSchedule[];
}

/** Options of `readStats`. */
export interface StatsOptions {
  /** The age up to which failures count, in ms. */
  readonly failedWithin: number;
  /** Each number is counted up to this limit. */
  readonly limit: number;
}

const NONE: JobCount = { count: 0, isCapped: false };

/** Reads the numbers of all queues. The cost does not depend on the number of jobs, and nothing is locked. */
export async function readStats(engine: Engine, { failedWithin, limit }: StatsOptions): Promise<DatabaseStats> {
  const read = <T>(factory: (dialect: Dialect) => Operation<T>) => {
    return executeRead(engine, 'read statistics', factory);
  };
  const takenAt = await read(readClock);
  const lanes = await read(findLanes);
  const counts = await read((dialect) => countJobs(dialect, lanes, limit));
  const oldest = await read((dialect) => findOldestReady(dialect, lanes));
  const failures = await read((dialect) => countFailures(dialect, lanes, limit, failedWithin));
  const settings = await read(findQueueSettings);
  return {
    takenAt,
    queues: joinByQueue(counts, oldest, failures, settings),
    failed: failures.total,
    failedWithin,
    workers: await read(findWorkers),
    schedules: await read((dialect) => findSchedules(dialect)),
  };
}

function joinByQueue(
  counts: readonly QueueCounts[],
  oldest: readonly OldestReady[],
  { byQueue: failed }: CountedFailures,
  settings: readonly StoredSettings[],
): QueueStats[] {
  const countsOf = new Map(counts.map((each) => [each.queue, each]));
  const ageOf = new Map(oldest.map(({ queue, age }) => [queue, age]));
  const pausedAtOf = new Map(settings.map(({ queue, pausedAt }) => [queue, pausedAt]));
  const names = new Set([...countsOf.keys(), ...failed.keys(), ...pausedAtOf.keys()]);
  return [...names].sort().map((queue) => {
    return {
      queue,
      counts: Object.fromEntries(
        LIVE_STATES.map((state) => [state, countsOf.get(queue)?.[state] ?? NONE]),
      ) as QueueStats['counts'],
      oldestReadyAge: ageOf.get(queue),
      failed: failed.get(queue) ?? 0,
      pausedAt: pausedAtOf.get(queue) ?? undefined,
    };
  });
}
