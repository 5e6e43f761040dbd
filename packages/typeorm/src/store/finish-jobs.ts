import type { Dialect } from '../engine/dialect.js';
import { type Operation, type Row, change, placeholders, select } from '../engine/operation.js';
import type { Outcome } from '../tables/history.js';
import type { ClaimedJob, Fence } from './claimed-job.js';
import { copyToHistory } from './copy-to-history.js';
import { type Condition, fenced, inKeyOrderOf, keyOf } from './fence.js';
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
 * @returns the jobs that were finished; the others are lost to another worker.
 */
export function* finishJobs(
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
  }
  return again && ours.length < finished.length ? [...ours, ...(yield* amongEntries(dialect, finished, ours))] : ours;
}

function fenceOf(finished: readonly FinishedJob[]): Condition {
  return fenced(finished.map(({ job }) => job));
}

/** Whether the history needs nothing of the job that its live row does not have. */
function saysNothing({ state, result, error }: FinishedJob): boolean {
  return state === 'succeeded' && result === null && error === null;
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
    `SELECT id, owner, attempt, last_error, claimed_at FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
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

function toEntry({ job, state, result, error }: FinishedJob, row: Row): HistoryEntry {
  return {
    ...job,
    state,
    result,
    error: error ?? (row.last_error as string | null),
    failures: job.failures + (state === 'failed' ? 1 : 0),
    claimedAt: Number(row.claimed_at),
  };
}
