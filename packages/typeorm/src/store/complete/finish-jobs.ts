import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Row, change } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { Outcome } from '../../tables/history.js';
import { storeErrors } from '../base/jobs/attempt-errors.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { copyToHistory } from './copy-to-history.js';
import { completeGroupMembers } from '../base/jobs/complete-group-members.js';
import { fenced, inKeyOrderOf, keyOf } from '../base/locks/fence.js';
import { classifyUnlocked } from './classify-unlocked.js';
import { type Finished, finishWithKeys } from './finish-with-keys.js';
import type { WhenLocked } from '../base/locks/lock-skipping-locked.js';
import { lockRunning } from './lock-running.js';
import { type Measure, chunksBySize } from '../base/chunks.js';
import { recordFailures } from './record-failures.js';
import { resultCaseExpression } from './result-case-expression.js';
import { type HistoryEntry, writeHistory } from '../base/jobs/write-history.js';

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
 * running → succeeded, failed or cancelled: moves jobs from the live table to the history, in one transaction.
 *
 * Index and locks: the jobs' rows by primary key, in its order, under the fence. Jobs that another transaction has
 * locked are busy: see `lock-running.ts`. Jobs that this worker has lost stay as they are.
 *
 * If the process dies before the commit, nothing has happened; the reaper returns the jobs and they run again. Jobs
 * that an earlier try has committed, whose answer was lost, are found in the history and count as finished.
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

function* finishUnlocked(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  holders: ReadonlySet<string>,
  whenLocked: WhenLocked,
): Operation<Finished<FinishedJob>> {
  const done: { readonly finished: FinishedJob[]; readonly busy: FinishedJob[] } = { finished: [], busy: [] };
  for (const chunk of chunksBySize(dialect, inKeyOrderOf(finished, jobOf), finished.length, finishedBytes)) {
    const { finished: ours, busy } = yield* finishChunk(dialect, chunk, holders, whenLocked);
    if (chunk.length === finished.length) {
      return { finished: ours, busy };
    }
    done.finished.push(...ours);
    done.busy.push(...busy);
  }
  return done;
}

/** The longest statement has its id twice, and a part of the search for its result. */
function finishedBytes({ result }: FinishedJob, measure: Measure): number {
  return 160 + measure(result);
}

/** @param inOrder jobs in the order of their ids, whose results fit into one statement. */
function* finishChunk(
  dialect: Dialect,
  inOrder: readonly FinishedJob[],
  holders: ReadonlySet<string>,
  whenLocked: WhenLocked,
): Operation<Finished<FinishedJob>> {
  const { ours, fence, ended, busy } = canBeCopied(dialect, inOrder)
    ? yield* copyAll(dialect, inOrder, whenLocked)
    : yield* writeAll(dialect, inOrder, holders, whenLocked);
  if (ours.length > 0) {
    yield* change(sql`${dialect.deleteFrom(dialect.tables.job)} WHERE ${fence}`);
    yield* completeGroupMembers(
      dialect,
      ours.map(({ job: { id, groupId }, state }) => ({ id, groupId, outcome: state })),
    );
  }
  return { finished: ended.length === 0 ? ours : [...ours, ...ended], busy };
}

/**
 * Without SKIP LOCKED a statement of its own locks the rows first. The same if a batch has two attempts of one job: the
 * copy distinguishes results by id only.
 */
function canBeCopied({ lockedRows }: Dialect, inOrder: readonly FinishedJob[]): boolean {
  return (
    lockedRows === undefined &&
    inOrder.every(hasOnlyResult) &&
    inOrder.every(({ job }, index) => index === 0 || !inOrder[index - 1]?.job.id.equals(job.id))
  );
}

/** Whether the live row has everything that the history needs, except the result. */
function hasOnlyResult({ state, error, progress }: FinishedJob): boolean {
  return state === 'succeeded' && error === null && progress === null;
}

/** The jobs that are in the history now. */
interface Copied {
  /** To be deleted from the live table. */
  readonly ours: readonly FinishedJob[];
  readonly fence: Fragment;
  /** Moved by an earlier try. */
  readonly ended: readonly FinishedJob[];
  readonly busy: readonly FinishedJob[];
}

function* copyAll(dialect: Dialect, inOrder: readonly FinishedJob[], whenLocked: WhenLocked): Operation<Copied> {
  const fence = fenced(dialect, inOrder.map(jobOf));
  const copied = yield* copyToHistory(dialect, fence, resultCaseExpression(inOrder), whenLocked);
  if (copied === inOrder.length) {
    return { ours: inOrder, fence, ended: [], busy: [] };
  }
  // Jobs that an earlier try has moved are not in the live table: the DELETE does not find them.
  const { ended: ours, busy } = yield* classifyUnlocked(dialect, inOrder, jobOf, whenLocked);
  return { ours, fence: fenced(dialect, ours.map(jobOf)), ended: [], busy };
}

/** The columns that the history needs from the live row. */
const ROW_COLUMNS = sql`id, owner, attempt, last_error, progress, claimed_at`;

function* writeAll(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  holders: ReadonlySet<string>,
  whenLocked: WhenLocked,
): Operation<Copied> {
  const locked = yield* lockRunning(dialect, finished, jobOf, whenLocked, ROW_COLUMNS);
  const { ours, rows } = locked;
  yield* writeHistory(
    dialect,
    ours.map((each) => toEntry(each, holders, rows.get(keyOf(each.job)) as Row)),
  );
  const failed = ours.filter(({ state }) => state === 'failed').map(({ job }) => job.id);
  if (failed.length > 0) {
    yield* recordFailures(dialect, failed);
  }
  yield* storeErrors(
    dialect,
    ours.flatMap(({ job, state, error }) => (state === 'failed' && error !== null ? [{ job, error }] : [])),
    rows,
  );
  return locked;
}

function toEntry(
  { job, state, result, error, progress }: FinishedJob,
  holders: ReadonlySet<string>,
  row: Row,
): HistoryEntry {
  return {
    ...job,
    state,
    uniqueKey: holders.has(job.id.toString('hex')) ? job.uniqueKey : null,
    result,
    error: error ?? (row.last_error as string | null),
    progress: progress ?? (row.progress as string | null),
    failures: job.failures + (state === 'failed' ? 1 : 0),
    claimedAt: Number(row.claimed_at),
  };
}
