import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { insertJobs } from '../base/jobs/insert-jobs.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { changeSchedule } from './change-schedule.js';
import { isOverlapping } from './is-overlapping.js';
import type { ScheduleProgress, StoredSchedule } from './schedule-row.js';

/** What to do about the due ticks of a schedule. */
export interface Firing {
  readonly schedule: StoredSchedule;
  /** A job for each tick that is fired, oldest first. Their ids make a second try safe. */
  readonly jobs: readonly NewJob[];
  /** The tick of the last job; null if there is none. */
  readonly tick: number | null;
  /** The latest tick that `catchUp` skips; undefined if it skips none. */
  readonly skippedUpTo: number | undefined;
  readonly next: number | null;
}

/** `taken`: another process fired it. `fired`: its jobs are stored. `overlaps`: its last job is unfinished. */
export type FiringResult = 'taken' | 'fired' | 'overlaps';

/**
 * Fires due ticks: updates each schedule if it is unchanged since it was read, and stores the jobs. One transaction, so
 * a tick is fired exactly once: a crash undoes both, and a second process finds the schedule changed.
 *
 * Index: primary keys. Locks: the schedules' rows until the commit, in the order of their names, so processes that fire
 * the same ones do not deadlock; then the new jobs. See docs/decisions/0063.
 *
 * @returns the result of each, in the given order.
 */
export function* fireSchedules(dialect: Dialect, firings: readonly Firing[]): Operation<FiringResult[]> {
  const results = new Map<Firing, FiringResult>();
  for (const firing of firings.toSorted((a, b) => (a.schedule.name < b.schedule.name ? -1 : 1))) {
    results.set(firing, yield* updateProgress(dialect, firing));
  }
  const jobs = firings.flatMap((firing) => (results.get(firing) === 'fired' ? firing.jobs : []));
  if (jobs.length > 0) {
    yield* insertJobs(dialect, jobs);
  }
  return firings.map((firing) => results.get(firing) as FiringResult);
}

function* updateProgress(dialect: Dialect, firing: Firing): Operation<FiringResult> {
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
