import type { Dialect } from '../../../engine/dialect.js';
import type { Operation } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { changeHeads } from './change-heads.js';
import type { OrderedJob } from './order-key.js';

/**
 * Lets keys go on whose blocking heads are retried. Part of the transaction that retries them, whose rows are locked.
 * Index: the primary key. Locks: the rows of these keys.
 */
export function* unblockKeys(dialect: Dialect, heads: readonly OrderedJob[]): Operation<void> {
  yield* changeHeads(dialect, heads, (which) => {
    return sql`UPDATE ${dialect.tables.orderKey} ${dialect.byPrimaryKey} SET blocked_at = NULL WHERE ${which}`;
  });
}
