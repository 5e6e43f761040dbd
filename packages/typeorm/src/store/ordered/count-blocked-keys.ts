import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type BlockedKeyRow, FIRST_BLOCKED, findBlockedKeys } from './find-blocked-keys.js';

/** How many keys are blocked. */
export interface BlockedKeys {
  readonly count: number;
  /** Up to three of them, those that have been blocked longest. */
  readonly first: readonly BlockedKeyRow[];
}

export const NONE_BLOCKED: BlockedKeys = { count: 0, first: [] };

/** Counts the blocked keys. Index: the blocked keys. Locks nothing. */
export function* countBlockedKeys(dialect: Dialect): Operation<BlockedKeys> {
  const [row] = yield* select<{ count: number | string }>(
    sql`SELECT COUNT(*) AS count FROM ${dialect.tables.orderKey} WHERE blocked_at IS NOT NULL`,
  );
  const count = Number(row?.count);
  return count === 0 ? NONE_BLOCKED : { count, first: yield* findBlockedKeys(dialect, FIRST_BLOCKED, 3) };
}
