import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { deleteFinishedJobs } from './delete-finished-jobs.js';
import type { FailureCursor } from '../base/failure-cursor.js';
import { inKeyOrder } from '../base/fence.js';
import { type HistoryKeyRow, historyCursorOf } from '../base/history-cursor.js';
import { MOST_IDS } from '../base/chunks.js';

/**
 * The place of the oldest of the newest `count` failed jobs; undefined when there are not so many.
 *
 * Index: that of the failures by time, backward over `count` entries; no other row is read. Locks nothing.
 */
export function* oldestKeptFailure({ tables }: Dialect, count: number): Operation<FailureCursor | undefined> {
  const [row] = yield* select<{ finished_at: number | string; job_id: Buffer }>(
    `SELECT finished_at, job_id FROM ${tables.failure}
     ORDER BY finished_at DESC, job_id DESC LIMIT 1 OFFSET ${Math.trunc(count) - 1}`,
  );
  return row && { finishedAt: Number(row.finished_at), id: row.job_id };
}

/** What one batch did. */
export interface PrunedFailures {
  readonly deleted: number;
  /** The place of the last job that was looked at; undefined when there is nothing more. */
  readonly end: FailureCursor | undefined;
}

/**
 * Deletes the first failed jobs between two places, both exclusive. Part of a transaction.
 *
 * Index: that of the failures by time, then the primary key of the history. Locks: see `deleteFinishedJobs`. Does nothing the
 * second time.
 */
export function* pruneFailures(
  dialect: Dialect,
  after: FailureCursor,
  before: FailureCursor,
): Operation<PrunedFailures> {
  const rows = yield* select<HistoryKeyRow>(
    `SELECT finished_at, job_id AS id FROM ${dialect.tables.failure} ${dialect.byFailureTime}
     WHERE finished_at >= ? AND (finished_at > ? OR job_id > ?) AND finished_at <= ? AND (finished_at < ? OR job_id < ?)
     ORDER BY finished_at, job_id LIMIT ${MOST_IDS}`,
    [...bounds(after), ...bounds(before)],
  );
  const last = rows.at(-1);
  if (!last) {
    return { deleted: 0, end: undefined };
  }
  const deleted = yield* deleteFinishedJobs(dialect, inKeyOrder(rows).map(historyCursorOf), {
    sql: "state = 'failed' AND finished_at <= ?",
    parameters: [before.finishedAt],
  });
  return {
    deleted,
    end: rows.length === MOST_IDS ? { finishedAt: Number(last.finished_at), id: last.id } : undefined,
  };
}

function bounds({ finishedAt, id }: FailureCursor): [number, number, Buffer] {
  return [finishedAt, finishedAt, id];
}
