import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, type Row, change } from '../../engine/operation.js';
import type { Outcome } from '../../tables/history.js';
import { keepErrors } from '../base/attempt-errors.js';
import type { ClaimedJob } from '../base/claimed-job.js';
import { copyToHistory } from './copy-to-history.js';
import { completeGroupMembers } from '../base/complete-group-members.js';
import { fenced, inKeyOrderOf, keyOf } from '../base/fence.js';
import { classifyUnlocked } from './classify-unlocked.js';
import { type Finished, finishWithKeys } from './finish-with-keys.js';
import { type IfLocked, lockRunning } from './lock-running.js';
import { MOST_CHARACTERS } from '../base/chunks.js';
import { recordFailures } from './record-failures.js';
import { resultCaseExpression } from './result-case-expression.js';
import { type HistoryEntry, writeHistory } from './write-history.js';

/** A job whose handler has come to its end. */
export interface FinishedJob {
  readonly job: ClaimedJob;
  readonly state: Outcome;
  /** JSON text of what the handler returned, or null. */
  readonly result: string | null;
  /** What to keep as the job's error beside the one it has already; null keeps that. */
  readonly error: string | null;
  /** JSON text of what its handler has told last and nobody has written down; null keeps what is. */
  readonly progress: string | null;
}

/**
 * running → succeeded, failed or cancelled: out of the live table and into the history, in one transaction.
 *
 * The rows are locked first, by primary key and in its order, under the fence: what is locked is still ours and stays
 * so until the commit. What is locked by others is busy (see `lock-running.ts`); what is not ours any more was taken
 * from us, and nothing is done to it.
 *
 * If the process dies before the commit nothing has happened and the reaper frees the jobs; their handlers have run,
 * so they run again. What an earlier try has committed, whose answer was lost, is found in the history as this run's.
 *
 * Unique keys are let go of in the same transaction: see `finish-with-keys.ts`. So are groups told of their members.
 */
export function finishJobs(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  ifLocked: IfLocked = 'pass over',
): Operation<Finished<FinishedJob>> {
  return finishWithKeys(dialect, finished, jobOf, (free) => finishFree(dialect, free, ifLocked));
}

const jobOf = ({ job }: FinishedJob): ClaimedJob => job;

function* finishFree(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  ifLocked: IfLocked,
): Operation<Finished<FinishedJob>> {
  const inOrder = inKeyOrderOf(finished, jobOf);
  const { ours, fence, ended, busy } = canBeCopied(dialect, inOrder)
    ? yield* copyAll(dialect, inOrder, ifLocked)
    : yield* writeAll(dialect, inOrder, ifLocked);
  if (ours.length > 0) {
    yield* change(`${dialect.deleteFrom(dialect.tables.job)} WHERE ${fence.sql}`, fence.parameters);
    yield* completeGroupMembers(
      dialect,
      ours.map(({ job: { id, groupId }, state }) => ({ id, groupId, outcome: state })),
    );
  }
  return { finished: ended.length === 0 ? ours : [...ours, ...ended], busy };
}

/**
 * Where the server cannot pass over locked rows, they are locked by a statement of its own first. Where a batch has two runs
 * of one job, whose results are told apart by the id alone, it is known first which of them is held.
 */
function canBeCopied({ lockedRows }: Dialect, inOrder: readonly FinishedJob[]): boolean {
  return (
    lockedRows === undefined &&
    inOrder.every(saysNoMore) &&
    inOrder.every(({ job }, index) => index === 0 || !inOrder[index - 1]?.job.id.equals(job.id)) &&
    inOrder.reduce((length, { result }) => length + (result?.length ?? 0), 0) <= MOST_CHARACTERS
  );
}

/** Whether the history needs nothing of the job but its result that its live row does not have. */
function saysNoMore({ state, error, progress }: FinishedJob): boolean {
  return state === 'succeeded' && error === null && progress === null;
}

/** Jobs that are in the history now, and of which these are still to be deleted from the live table. */
interface Copied {
  readonly ours: readonly FinishedJob[];
  readonly fence: Fragment;
  /** By an earlier try. */
  readonly ended: readonly FinishedJob[];
  readonly busy: readonly FinishedJob[];
}

function* copyAll(dialect: Dialect, inOrder: readonly FinishedJob[], ifLocked: IfLocked): Operation<Copied> {
  const fence = fenced(dialect, inOrder.map(jobOf));
  const copied = yield* copyToHistory(dialect, fence, resultCaseExpression(inOrder), ifLocked);
  if (copied === inOrder.length) {
    return { ours: inOrder, fence, ended: [], busy: [] };
  }
  // Those of an earlier try are not in the live table any more: the DELETE finds nothing of them.
  const { ended: ours, busy } = yield* classifyUnlocked(dialect, inOrder, jobOf, ifLocked);
  return { ours, fence: fenced(dialect, ours.map(jobOf)), ended: [], busy };
}

function* writeAll(dialect: Dialect, finished: readonly FinishedJob[], ifLocked: IfLocked): Operation<Copied> {
  const locked = yield* lockRunning(dialect, finished, jobOf, ifLocked, ['last_error', 'progress', 'claimed_at']);
  const { ours, rows } = locked;
  yield* writeHistory(
    dialect,
    ours.map((each) => toEntry(each, rows.get(keyOf(each.job)) as Row)),
  );
  const failed = ours.filter(({ state }) => state === 'failed').map(({ job }) => job.id);
  if (failed.length > 0) {
    yield* recordFailures(dialect, failed);
  }
  yield* keepErrors(
    dialect,
    ours.flatMap(({ job, state, error }) => (state === 'failed' && error !== null ? [{ job, error }] : [])),
    rows,
  );
  return locked;
}

function toEntry({ job, state, result, error, progress }: FinishedJob, row: Row): HistoryEntry {
  return {
    ...job,
    state,
    result,
    error: error ?? (row.last_error as string | null),
    progress: progress ?? (row.progress as string | null),
    failures: job.failures + (state === 'failed' ? 1 : 0),
    claimedAt: Number(row.claimed_at),
  };
}
