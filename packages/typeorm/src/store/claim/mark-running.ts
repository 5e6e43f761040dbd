import type { Dialect } from '../../engine/dialect.js';
import { type Statement, placeholders } from '../../engine/operation.js';
import type { ClaimRequest } from './claim-strategy.js';

/**
 * The statement that makes ready jobs this claim's: ready → running, `attempt + 1`. A job that another claim has taken
 * since it was found is left alone. Index: the primary key, in its order.
 */
export function markRunning(
  { tables, byPrimaryKey, now }: Dialect,
  { owner, number }: ClaimRequest,
  ids: readonly Buffer[],
): Statement {
  return {
    sql: `UPDATE ${tables.job} ${byPrimaryKey}
          SET state = 'running', owner = ?, position = ?, attempt = attempt + 1, claimed_at = ${now}
          WHERE id IN (${placeholders(ids)}) AND state = 'ready'`,
    parameters: [owner, number, ...ids],
  };
}
