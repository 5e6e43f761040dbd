import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { ClaimRequest } from './claim-strategy.js';

/**
 * The statement that marks ready jobs as running: ready → running, `attempt + 1`. It skips jobs that another claim has
 * taken since they were found. Index: the primary key, in its order.
 *
 * Each column it sets has a fixed size and is not null, so InnoDB changes the row in place: see docs/decisions/0005.
 */
export function markRunning(
  { tables, byPrimaryKey, now, idList }: Dialect,
  { owner, number }: ClaimRequest,
  ids: readonly Buffer[],
): Fragment {
  return sql`
    UPDATE ${tables.job} ${byPrimaryKey}
    SET state = 'running', owner = ${owner}, lane = ${owner}, position = ${number}, attempt = attempt + 1,
        claimed_at = ${now}
    WHERE id IN (${idList(ids)}) AND state = 'ready'`;
}
