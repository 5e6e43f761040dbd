import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { readClock } from '../base/read-clock.js';
import { insertJobs } from '../base/jobs/insert-jobs.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { changeSchedule } from './change-schedule.js';
import { isOverlapping } from './is-overlapping.js';
import { lockSchedule } from './lock-schedule.js';
import type { StoredSchedule } from './schedule-row.js';

/**
 * Stores a job of a schedule outside its ticks, which do not change.
 *
 * Index: primary keys. Locks: the schedule's row until the commit. If it runs again after an unknown commit, the id of
 * the schedule's last job shows whether the job is stored.
 *
 * @param jobOf creates the job, with the same id each time.
 * @returns the job; undefined if the schedule does not exist, or forbids overlaps and its last job is unfinished.
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
