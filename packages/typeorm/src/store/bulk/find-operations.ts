import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type BulkRow, selectBulkRows } from './bulk-row.js';

/** How many running operations are worked on at a time: the others follow. */
const MOST_RUNNING = 100;

/** Finds a bulk operation. Index: the primary key. Locks nothing. */
export function* findOperation(dialect: Dialect, id: Buffer): Operation<BulkRow | undefined> {
  const [row] = yield* selectBulkRows(dialect, sql`WHERE id = ${id}`);
  return row;
}

/** Finds the operations that began before one, the latest first. Index: the primary key, backward. Locks nothing. */
export function findOperations(dialect: Dialect, before: Buffer, limit: number): Operation<BulkRow[]> {
  return selectBulkRows(dialect, sql`WHERE id < ${before} ORDER BY id DESC LIMIT ${sql.integer(limit)}`);
}

/** Finds the operations that run, the oldest first. Index: the states. Locks nothing. */
export function findRunning(dialect: Dialect): Operation<BulkRow[]> {
  return selectBulkRows(dialect, sql`WHERE state = 'running' ORDER BY id LIMIT ${sql.integer(MOST_RUNNING)}`);
}
