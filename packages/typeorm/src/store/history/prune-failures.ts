import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import type { FailureCursor } from '../base/order/failure-cursor.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { deleteFinishedJobs } from './delete-finished-jobs.js';

/**
 * Finds the oldest of the newest `count` failed jobs; undefined if there are fewer.
 *
 * Index: the failures by time, backward over `count` entries; no other row is read. Locks nothing.
 */
export function* oldestKeptFailure({ tables }: Dialect, count: number): Operation<FailureCursor | undefined> {
  const [row] = yield* select<{ finished_at: number | string; job_id: Buffer }>(
    sql`SELECT finished_at, job_id FROM ${tables.failure}
        ORDER BY finished_at DESC, job_id DESC LIMIT 1 OFFSET ${sql.integer(count - 1)}`,
  );
  return row && { finishedAt: Number(row.finished_at), id: row.job_id };
}

/** What one batch deleted. */
export interface PrunedFailures {
  readonly deleted: number;
  /** The last job that was read; undefined when there are no more. */
  readonly end: FailureCursor | undefined;
}

/**
 * Deletes the first failed jobs between two positions, both exclusive. Part of a transaction.
 *
 * Index: the failures by time, then the primary key of the history. Locks: see `deleteFinishedJobs`. A second run
 * changes nothing.
 */
export function* pruneFailures(
  dialect: Dialect,
  after: FailureCursor,
  before: FailureCursor,
): Operation<PrunedFailures> {
  const rows = yield* select<{ id: Buffer; finished_at: number | string }>(
    sql`SELECT finished_at, job_id AS id FROM ${dialect.tables.failure} ${dialect.byFailureTime}
        WHERE finished_at >= ${after.finishedAt} AND (finished_at > ${after.finishedAt} OR job_id > ${after.id})
          AND finished_at <= ${before.finishedAt} AND (finished_at < ${before.finishedAt} OR job_id < ${before.id})
        ORDER BY finished_at, job_id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  const last = rows.at(-1);
  if (!last) {
    return { deleted: 0, end: undefined };
  }
  const isOld = sql`state = 'failed' AND finished_at <= ${before.finishedAt}`;
  const deleted = yield* deleteFinishedJobs(
    dialect,
    inKeyOrder(rows).map(({ id }) => id),
    isOld,
  );
  return {
    deleted,
    end: rows.length === MOST_IDS ? { finishedAt: Number(last.finished_at), id: last.id } : undefined,
  };
}
