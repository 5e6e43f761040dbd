import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { type Fragment, type Parameter, sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import { WITHOUT_EXPIRY } from '../base/jobs/has-expired.js';
import { storeErrors } from '../base/jobs/attempt-errors.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { fenced } from '../base/locks/fence.js';
import { type Measure, chunksBySize } from '../base/chunks.js';
import { FENCE_AND_START, lockRunning } from '../base/locks/lock-running.js';

/**
 * How many jobs one UPDATE changes: its CASE is searched for each row. One UPDATE for each job halved the throughput
 * (MariaDB 10.11).
 */
const JOBS_PER_UPDATE = 100;

/** A job to run again later. */
export interface RescheduledJob {
  readonly job: ClaimedJob;
  /** How long to wait, in ms, from now by the database's clock. */
  readonly delay: number;
  /** The error to store; null does not count as a failure. */
  readonly error: string | null;
  /** Whether the attempt ended without a crash: then the job's crashes are reset. */
  readonly hasEnded: boolean;
}

/** The result of rescheduling jobs. Those in neither list are lost to another worker. */
export interface Rescheduled {
  readonly rescheduled: readonly RescheduledJob[];
  /** Another transaction has locked them: try again later. */
  readonly busy: readonly RescheduledJob[];
}

/**
 * running → scheduled, in one transaction: a retry, a snoozed job, or a job without a handler in this worker.
 *
 * Index: the primary key. Locks: the jobs' rows, in the order of their ids, before the UPDATE: see `lock-running.ts`.
 * If the process dies before the commit, the reaper returns the jobs and the attempt does not count as a failure.
 *
 * If it is repeated after the connection broke, jobs that the first try has rescheduled count as lost.
 */
export function* rescheduleJobs(dialect: Dialect, jobs: readonly RescheduledJob[]): Operation<Rescheduled> {
  const { ours, rows, busy } = yield* lockRunning(dialect, jobs, ({ job }) => job, 'skip', FENCE_AND_START);
  for (const alike of groupBy(ours, assignmentsOf).values()) {
    for (const chunk of chunksBySize(dialect, alike, JOBS_PER_UPDATE, rescheduledBytes)) {
      yield* reschedule(dialect, chunk);
    }
  }
  yield* storeErrors(
    dialect,
    ours.flatMap(({ job, error }) => (error === null ? [] : [{ job, error }])),
    rows,
  );
  return { rescheduled: ours, busy };
}

/** The statement has its id four times and its delay twice. */
function rescheduledBytes({ error }: RescheduledJob, measure: Measure): number {
  return 300 + measure(error);
}

/** Equal for jobs whose UPDATE sets the same columns. */
function assignmentsOf(job: RescheduledJob): string {
  return `${job.error !== null} ${job.hasEnded} ${losesExpiry(job)}`;
}

/** Whether this was the start that the job had to make in time. A job that no handler got must still make it. */
function losesExpiry({ job, hasEnded }: RescheduledJob): boolean {
  return job.canExpire && hasEnded;
}

/** Reschedules jobs whose UPDATE sets the same columns. */
function* reschedule(dialect: Dialect, jobs: readonly RescheduledJob[]): Operation<void> {
  const [first] = jobs as readonly [RescheduledJob];
  const byId = (value: (job: RescheduledJob) => Parameter): Fragment => {
    const cases = jobs.map((each) => sql`WHEN ${each.job.id} THEN ${value(each)}`);
    return sql`CASE id ${sql.join(cases, sql` `)} END`;
  };
  const runAt = sql`${dialect.now} + ${byId(({ delay }) => delay)}`;
  const failure =
    first.error === null ? sql.empty : sql`, failures = failures + 1, last_error = ${byId(({ error }) => error)}`;
  const reset = first.hasEnded ? sql`, crashes = 0` : sql.empty;
  const limit = losesExpiry(first) ? sql`, ${WITHOUT_EXPIRY}` : sql.empty;
  const fence = fenced(
    dialect,
    jobs.map(({ job }) => job),
  );
  yield* change(
    sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
        SET state = 'scheduled', owner = 0, lane = 0, position = ${runAt}, run_at = ${runAt}${failure}${reset}${limit}
        WHERE ${fence}`,
  );
}
