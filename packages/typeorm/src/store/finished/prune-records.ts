import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { deleteById } from '../base/delete-by-id.js';

/** Deletes the throughput of minutes before a time. Index and locks: the primary key, of rows that no longer change. */
export function* pruneThroughput(dialect: Dialect, before: number): Operation<void> {
  const { throughput } = dialect.tables;
  yield* change(sql`${dialect.deleteFrom(throughput)} WHERE began_at < ${before} AND succeeded IS NOT NULL`);
}

/**
 * Deletes the oldest entries of the audit log before a time. Part of a transaction.
 *
 * Index: the entries by time, then the primary key. Locks: the deleted rows. A second run changes nothing.
 *
 * @returns whether there may be more.
 */
export function* pruneActions(dialect: Dialect, before: number): Operation<boolean> {
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${dialect.tables.audit} ${dialect.byAuditTime}
        WHERE done_at < ${before} ORDER BY done_at, id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  yield* deleteById(
    dialect,
    'audit',
    rows.map(({ id }) => id),
  );
  return rows.length === MOST_IDS;
}
