import type { Dialect } from '../engine/dialect.js';
import { type Operation, change } from '../engine/operation.js';
import { keepErrors } from './attempt-errors.js';
import type { ClaimedJob } from './claimed-job.js';
import { fenced } from './fence.js';
import { lockRunning } from './lock-running.js';

/** A job that is to run again later. */
export interface RescheduledJob {
  readonly job: ClaimedJob;
  /** How long to wait, in ms, from now by the database's clock. */
  readonly delay: number;
  /** The error to keep and to charge; null charges nothing. */
  readonly error: string | null;
  /** Whether the process came through: then the job's crashes are forgotten. */
  readonly hasEnded: boolean;
}

/** What became of jobs that were to be rescheduled. Those in neither list are lost to another worker. */
export interface Rescheduled {
  readonly rescheduled: readonly RescheduledJob[];
  /** Locked by an open transaction: they stay as they are before it ends. */
  readonly busy: readonly RescheduledJob[];
}

/**
 * running → scheduled, in one transaction: a retry, a job that is put off, or one that has no handler here.
 *
 * Index: the primary key. Locks: the jobs' rows, in the order of their ids, before any is changed: an UPDATE would wait
 * for one that is locked, see `lock-running.ts`. If the process dies before the commit the reaper frees the jobs and the
 * attempt is not charged.
 *
 * When a try is repeated after the connection broke, jobs of the first try count as lost although they were
 * rescheduled: nothing can tell.
 */
export function* rescheduleJobs(dialect: Dialect, jobs: readonly RescheduledJob[]): Operation<Rescheduled> {
  const { ours, rows, busy } = yield* lockRunning(dialect, jobs, ({ job }) => job, 'pass over', ['claimed_at']);
  for (const { job, delay, error, hasEnded } of ours) {
    const charge = error === null ? '' : ', failures = failures + 1, last_error = ?';
    const acquittal = hasEnded ? ', crashes = 0' : '';
    const fence = fenced([job]);
    yield* change(
      `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
       SET state = 'scheduled', owner = 0, position = ${dialect.now} + ?, run_at = ${dialect.now} + ?${charge}${acquittal}
       WHERE ${fence.sql}`,
      [delay, delay, ...(error === null ? [] : [error]), ...fence.parameters],
    );
  }
  yield* keepErrors(
    dialect,
    ours.flatMap(({ job, error }) => (error === null ? [] : [{ job, error }])),
    rows,
  );
  return { rescheduled: ours, busy };
}
