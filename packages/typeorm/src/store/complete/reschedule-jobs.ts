import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, type Parameter, change } from '../../engine/operation.js';
import { groupBy } from '../../group-by.js';
import { keepErrors } from '../base/attempt-errors.js';
import type { ClaimedJob } from '../base/claimed-job.js';
import { fenced } from '../base/fence.js';
import { chunksOf } from '../base/chunks.js';
import { lockRunning } from './lock-running.js';

/**
 * How many jobs one UPDATE takes: for each row it looks through all of them. With one UPDATE for each job 3,780 failed
 * attempts a second were written down, with this 7,590 (MariaDB 10.11, medians of six drains of 20,000, 2026-11-25).
 */
const MOST_TOGETHER = 100;

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
  for (const alike of groupBy(ours, shapeOf).values()) {
    for (const part of chunksOf(alike, MOST_TOGETHER, ({ error }) => error?.length ?? 0)) {
      yield* reschedule(dialect, part);
    }
  }
  yield* keepErrors(
    dialect,
    ours.flatMap(({ job, error }) => (error === null ? [] : [{ job, error }])),
    rows,
  );
  return { rescheduled: ours, busy };
}

/** What the UPDATE of a job sets. */
function shapeOf({ error, hasEnded }: RescheduledJob): string {
  return `${error !== null} ${hasEnded}`;
}

/** Jobs that are all charged, or none, and all acquitted of their crashes, or none. */
function* reschedule(dialect: Dialect, jobs: readonly RescheduledJob[]): Operation<void> {
  const [first] = jobs as readonly [RescheduledJob];
  const byId = (value: (job: RescheduledJob) => Parameter): Fragment => ({
    sql: `CASE id ${jobs.map(() => 'WHEN ? THEN ?').join(' ')} END`,
    parameters: jobs.flatMap((each) => [each.job.id, value(each)]),
  });
  const delay = byId((each) => each.delay);
  const error = first.error === null ? undefined : byId((each) => each.error);
  const charge = error ? `, failures = failures + 1, last_error = ${error.sql}` : '';
  const acquittal = first.hasEnded ? ', crashes = 0' : '';
  const fence = fenced(
    dialect,
    jobs.map(({ job }) => job),
  );
  yield* change(
    `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
     SET state = 'scheduled', owner = 0, position = ${dialect.now} + ${delay.sql}, run_at = ${dialect.now} + ${delay.sql}
       ${charge}${acquittal}
     WHERE ${fence.sql}`,
    [...delay.parameters, ...delay.parameters, ...(error?.parameters ?? []), ...fence.parameters],
  );
}
