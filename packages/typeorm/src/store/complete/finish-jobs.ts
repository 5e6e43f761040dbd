import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import type { Outcome } from '../../tables/job.js';
import { type Measure, chunksBySize } from '../base/chunks.js';
import { storeErrors } from '../base/jobs/attempt-errors.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { completeGroupMembers } from '../base/jobs/complete-group-members.js';
import { fenced } from '../base/locks/fence.js';
import type { WhenLocked } from '../base/locks/lock-skipping-locked.js';
import { endHeads } from '../base/ordered/end-ordered.js';
import { intoFinished } from '../base/order/lane.js';
import { caseById } from '../base/case-by-id.js';
import { type Finished, finishWithKeys } from './finish-with-keys.js';
import { FENCE_AND_START, lockRunning } from '../base/locks/lock-running.js';

/** A job to finish. */
export interface FinishedJob {
  readonly job: ClaimedJob;
  readonly state: Outcome;
  /** The handler's result as JSON text, or null. */
  readonly result: string | null;
  /** The error to store; null keeps the one that the row has. */
  readonly error: string | null;
  /** JSON text of the last progress that is not stored yet; null keeps the one that the row has. */
  readonly progress: string | null;
}

/**
 * running → succeeded, failed or cancelled, in one transaction.
 *
 * Index and locks: the jobs' rows by primary key, in its order, under the fence. Jobs that another transaction has
 * locked are busy: see `lock-running.ts`. Jobs that this worker has lost stay as they are.
 *
 * If the process dies before the commit, nothing has happened; the reaper returns the jobs and they run again. Jobs
 * that an earlier try has finished, whose answer was lost, count as finished.
 *
 * The same transaction frees unique keys, see `finish-with-keys.ts`, and records the outcome in the jobs' groups.
 */
export function finishJobs(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  whenLocked: WhenLocked = 'skip',
): Operation<Finished<FinishedJob>> {
  return finishWithKeys(dialect, finished, jobOf, (free, holders) =>
    finishUnlocked(dialect, free, holders, whenLocked),
  );
}

const jobOf = ({ job }: FinishedJob): ClaimedJob => job;

/** @param holders the ids of the jobs whose unique key a retry takes again. */
function* finishUnlocked(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  holders: ReadonlySet<string>,
  whenLocked: WhenLocked,
): Operation<Finished<FinishedJob>> {
  const { ours, rows, ended, busy } = yield* lockRunning(dialect, finished, jobOf, whenLocked, FENCE_AND_START);
  const losesKey = ({ job }: FinishedJob) => job.uniqueKey !== null && !holders.has(job.id.toString('hex'));
  const kindOf = (each: FinishedJob) =>
    `${each.state} ${each.error !== null} ${each.progress !== null} ${losesKey(each)}`;
  for (const alike of groupBy(ours, kindOf).values()) {
    for (const chunk of chunksBySize(dialect, alike, alike.length, finishedBytes)) {
      yield* change(
        sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
            SET ${assignmentsOf(dialect, chunk, losesKey(chunk[0]!))} WHERE ${fenced(dialect, chunk.map(jobOf))}`,
      );
    }
  }
  yield* storeErrors(
    dialect,
    ours.flatMap(({ job, state, error }) => (state === 'failed' && error !== null ? [{ job, error }] : [])),
    rows,
  );
  yield* completeGroupMembers(
    dialect,
    ours.map(({ job: { id, groupId }, state, result, error }) => ({ id, groupId, outcome: state, result, error })),
  );
  yield* endHeads(
    dialect,
    ours.map(({ job: { id, name, orderKey }, state }) => ({ id, name, orderKey, outcome: state })),
  );
  return { finished: ended.length === 0 ? ours : [...ours, ...ended], busy };
}

/** The statement has its id twice, and three more times in the searches for its texts. */
export function finishedBytes({ result, error, progress }: FinishedJob, measure: Measure): number {
  return 300 + measure(result) + measure(error) + measure(progress);
}

/** The assignments of jobs in the order of their ids that are alike: see `finishUnlocked`. */
export function assignmentsOf(dialect: Dialect, jobs: readonly FinishedJob[], loseKeys: boolean): Fragment {
  const [first] = jobs as readonly [FinishedJob];
  const byId = (valueOf: (each: FinishedJob) => string | null) =>
    caseById(jobs.map((each) => ({ id: each.job.id, value: valueOf(each) })));
  return sql.join([
    intoFinished(dialect, sql`${first.state}`),
    ...(jobs.every(({ result }) => result === null) ? [] : [sql`result = ${byId(({ result }) => result)}`]),
    ...(first.state === 'failed' ? [sql`failures = failures + 1`] : []),
    ...(first.error === null ? [] : [sql`last_error = ${byId(({ error }) => error)}`]),
    ...(first.progress === null ? [] : [sql`progress = ${byId(({ progress }) => progress)}`]),
    ...(loseKeys ? [sql`unique_key = NULL`] : []),
  ]);
}
