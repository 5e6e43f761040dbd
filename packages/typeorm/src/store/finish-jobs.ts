import type { Dialect } from '../engine/dialect.js';
import { type Operation, type Row, change, placeholders, select } from '../engine/operation.js';
import type { Outcome } from '../tables/history.js';
import { keepErrors } from './attempt-errors.js';
import type { ClaimedJob, Fence } from './claimed-job.js';
import { copyToHistory } from './copy-to-history.js';
import { endMembers } from './end-members.js';
import { type Condition, fenced, inKeyOrderOf, keyOf } from './fence.js';
import { type Finished, finishWithKeys } from './finish-with-keys.js';
import { noteFailures } from './note-failures.js';
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
 * so until the commit. What is not locked was taken from us, and nothing is done to it.
 *
 * If the process dies before the commit nothing has happened and the reaper frees the jobs; their handlers have run,
 * so they run again. `again` tells that an earlier try may have been committed: then its jobs are in the history.
 *
 * Unique keys are let go of in the same transaction: see `finish-with-keys.ts`. So are groups told of their members.
 */
export function finishJobs(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  again: boolean,
): Operation<Finished<FinishedJob>> {
  return finishWithKeys(
    dialect,
    finished,
    ({ job }) => job,
    (free) => finishFree(dialect, free, again),
  );
}

function* finishFree(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  again: boolean,
): Operation<readonly FinishedJob[]> {
  const inOrder = inKeyOrderOf(finished, ({ job }) => job);
  const fence = fenceOf(inOrder);
  const ours = inOrder.every(saysNothing)
    ? yield* copyAll(dialect, inOrder, fence)
    : yield* writeAll(dialect, inOrder, fence);
  if (ours.length > 0) {
    const { sql, parameters } = ours === inOrder ? fence : fenceOf(ours);
    yield* change(`${dialect.deleteFrom(dialect.tables.job)} WHERE ${sql}`, parameters);
    yield* endMembers(
      dialect,
      ours.map(({ job: { id, groupId }, state }) => ({ id, groupId, outcome: state })),
    );
  }
  return again && ours.length < finished.length ? [...ours, ...(yield* amongEntries(dialect, finished, ours))] : ours;
}

function fenceOf(finished: readonly FinishedJob[]): Condition {
  return fenced(finished.map(({ job }) => job));
}

/** Whether the history needs nothing of the job that its live row does not have. */
function saysNothing({ state, result, error, progress }: FinishedJob): boolean {
  return state === 'succeeded' && result === null && error === null && progress === null;
}

function* copyAll(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  fence: Condition,
): Operation<readonly FinishedJob[]> {
  const copied = yield* copyToHistory(dialect, fence);
  return copied === finished.length ? finished : yield* amongEntries(dialect, finished, []);
}

function* writeAll(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  fence: Condition,
): Operation<readonly FinishedJob[]> {
  const rows = yield* select(
    `SELECT id, owner, attempt, last_error, progress, claimed_at FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
     WHERE ${fence.sql} ${dialect.forUpdate}`,
    fence.parameters,
  );
  const held = new Map(rows.map((row) => [keyOf(row as unknown as Fence), row]));
  const ours = held.size === finished.length ? finished : finished.filter(({ job }) => held.has(keyOf(job)));
  yield* writeHistory(
    dialect,
    ours.map((each) => toEntry(each, held.get(keyOf(each.job)) as Row)),
  );
  const failed = ours.filter(({ state }) => state === 'failed').map(({ job }) => job.id);
  if (failed.length > 0) {
    yield* noteFailures(dialect, failed);
  }
  yield* keepErrors(
    dialect,
    ours.flatMap(({ job, state, error }) => (state === 'failed' && error !== null ? [{ job, error }] : [])),
  );
  return ours;
}

/** Those that are in the history as this very run: copied a moment ago, or by an earlier try. */
function* amongEntries(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  except: readonly FinishedJob[],
): Operation<FinishedJob[]> {
  const open = finished.filter((job) => !except.includes(job));
  const ids = open.map(({ job }) => job.id);
  const entries = yield* select<Fence>(
    `SELECT id, owner, attempt FROM ${dialect.tables.history} WHERE id IN (${placeholders(ids)})`,
    ids,
  );
  const keys = new Set(entries.map(keyOf));
  return open.filter(({ job }) => keys.has(keyOf(job)));
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
