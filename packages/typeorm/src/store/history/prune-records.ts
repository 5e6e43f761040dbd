import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { deleteById } from '../base/delete-by-id.js';
import { MOST_IDS } from '../base/chunks.js';

/** Deletes the throughput of minutes that began before a time. Index and locks: the primary key, of rows nobody adds to any more. */
export function* pruneThroughput({ tables, deleteFrom }: Dialect, before: number): Operation<void> {
  yield* change(`${deleteFrom(tables.throughput)} WHERE began_at < ? AND succeeded IS NOT NULL`, [before]);
}

/**
 * Deletes the first notes of actions from before a time. Part of a transaction.
 *
 * Index: that by time, then the primary key. Locks: the deleted rows. Does nothing the second time.
 *
 * @returns whether there may be more.
 */
export function* pruneActions(dialect: Dialect, before: number): Operation<boolean> {
  const rows = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${dialect.tables.audit} ${dialect.byAuditTime} WHERE done_at < ? ORDER BY done_at, id LIMIT ${MOST_IDS}`,
    [before],
  );
  yield* deleteById(
    dialect,
    'audit',
    rows.map(({ id }) => id),
  );
  return rows.length === MOST_IDS;
}
