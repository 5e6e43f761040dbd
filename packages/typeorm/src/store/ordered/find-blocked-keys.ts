import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { countBehind } from '../base/ordered/count-behind.js';

/** An order key that is blocked, because its head has failed. */
export interface BlockedKeyRow {
  readonly name: string;
  readonly key: string;
  /** The failed job. */
  readonly jobId: Buffer;
  /** By the database's clock, in ms. */
  readonly blockedAt: number;
  /** How many jobs wait behind it, up to `MOST_COUNTED`. */
  readonly behind: number;
}

/** Before the first blocked key. */
export const FIRST_BLOCKED = { blockedAt: 0, name: '', key: '' } as const;

/**
 * Finds the next blocked keys, those that have been blocked longest first. Index: the blocked keys, then up to
 * `MOST_COUNTED` entries of the jobs behind each. Locks nothing.
 */
export function* findBlockedKeys(
  dialect: Dialect,
  after: Pick<BlockedKeyRow, 'blockedAt' | 'name' | 'key'>,
  most: number,
): Operation<BlockedKeyRow[]> {
  const { blockedAt, name, key } = after;
  const rows = yield* select<{ name: string; order_key: string; job_id: Buffer; blocked_at: number | string }>(
    sql`SELECT name, order_key, job_id, blocked_at FROM ${dialect.tables.orderKey}
        WHERE blocked_at >= ${blockedAt}
          AND (blocked_at > ${blockedAt} OR name > ${name} OR (name = ${name} AND order_key > ${key}))
        ORDER BY blocked_at, name, order_key LIMIT ${sql.integer(most)}`,
  );
  const behind = yield* countBehind(
    dialect,
    rows.map((row) => ({ name: row.name, key: row.order_key })),
  );
  return rows.map((row, index) => ({
    name: row.name,
    key: row.order_key,
    jobId: row.job_id,
    blockedAt: Number(row.blocked_at),
    behind: behind[index] ?? 0,
  }));
}
