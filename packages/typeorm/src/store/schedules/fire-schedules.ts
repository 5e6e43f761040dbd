import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { insertJobs } from '../enqueue/insert-jobs.js';
import type { NewJob } from '../enqueue/new-job.js';
import { readClock } from '../base/read-clock.js';
import { type ScheduleProgress, type StoredSchedule, changeSchedule, lockSchedule } from './schedules.js';

/** What is to be done about the due ticks of a schedule. */
export interface Firing {
  readonly schedule: StoredSchedule;
  /** A job for each tick that is fired, oldest first; their ids make it safe to try again. */
  readonly jobs: readonly NewJob[];
  /** The tick of the last of the jobs; null where there are none. */
  readonly tick: number | null;
  /** The latest tick that is left out by policy; undefined if none is. */
  readonly skippedUpTo: number | undefined;
  readonly next: number | null;
}

/** What became of it: somebody else was faster, its jobs are stored, or its last job is still live. */
export type FiringResult = 'taken' | 'fired' | 'overlaps';

/**
 * Fires due ticks: moves each schedule on if it is still as it was read, and stores the jobs. In one transaction, so that
 * a tick is fired exactly once: a crash leaves both undone, and whoever comes second finds the schedule changed.
 *
 * Index: primary keys. Locks: the schedules' rows until the commit, by name, so that two who fire the same ones wait for
 * each other and never in a circle; then the new jobs.
 *
 * @returns what became of each, in the order given.
 */
export function* fireSchedules(dialect: Dialect, firings: readonly Firing[]): Operation<FiringResult[]> {
  const results = new Map<Firing, FiringResult>();
  for (const firing of firings.toSorted((a, b) => (a.schedule.name < b.schedule.name ? -1 : 1))) {
    results.set(firing, yield* moveOn(dialect, firing));
  }
  const jobs = firings.flatMap((firing) => (results.get(firing) === 'fired' ? firing.jobs : []));
  if (jobs.length > 0) {
    yield* insertJobs(dialect, jobs);
  }
  return firings.map((firing) => results.get(firing) as FiringResult);
}

function* moveOn(dialect: Dialect, firing: Firing): Operation<FiringResult> {
  const { schedule, jobs, tick, skippedUpTo, next } = firing;
  const overlaps = jobs.length > 0 && (yield* isOverlapping(dialect, schedule));
  const skippedTick = overlaps && tick !== null ? tick : skippedUpTo;
  const progress: Partial<ScheduleProgress> = {
    nextFireAt: next,
    ...(!overlaps && tick !== null && { lastFireAt: tick, lastJobId: jobs.at(-1)?.id ?? null }),
    ...(skippedTick !== undefined && { skipped: schedule.skipped + 1, lastSkippedAt: skippedTick }),
  };
  if (!(yield* changeSchedule(dialect, schedule, progress))) {
    return 'taken';
  }
  return overlaps ? 'overlaps' : 'fired';
}

/**
 * Stores a job of a schedule outside its ticks, which stay as they are.
 *
 * Index: primary keys. Locks: the schedule's row until the commit. After a try that may have been committed, the id of
 * the job tells.
 *
 * @param jobOf makes the job, with the same id each time.
 * @returns the job; undefined if there is no such schedule, or its last job is live and may not be overlapped.
 */
export function* fireScheduleNow(
  dialect: Dialect,
  name: string,
  jobOf: (schedule: StoredSchedule) => NewJob,
): Operation<NewJob | undefined> {
  const schedule = yield* lockSchedule(dialect, name);
  if (!schedule) {
    return undefined;
  }
  const job = jobOf(schedule);
  if (schedule.lastJobId?.equals(job.id)) {
    return job;
  }
  if (yield* isOverlapping(dialect, schedule)) {
    return undefined;
  }
  yield* changeSchedule(dialect, schedule, { lastFireAt: yield* readClock(dialect), lastJobId: job.id });
  yield* insertJobs(dialect, [job]);
  return job;
}

function* isOverlapping({ tables }: Dialect, { overlap, lastJobId }: StoredSchedule): Operation<boolean> {
  if (overlap || lastJobId === null) {
    return false;
  }
  return (yield* select(`SELECT 1 FROM ${tables.job} WHERE id = ?`, [lastJobId])).length > 0;
}
