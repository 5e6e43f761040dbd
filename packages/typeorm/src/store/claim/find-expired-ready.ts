import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { hasExpired } from '../base/jobs/has-expired.js';
import { firstReady } from '../base/order/lane.js';
import type { SortKey } from '../base/order/sort-key.js';

/**
 * The expired jobs among the first ready ones of a queue, without a tenant. A claim that meets one reads the others, so
 * that the claimer ends them together, however few jobs it claims. Index: the lane, from a sort key on, then the jobs'
 * rows. Locks nothing.
 */
export function* findExpiredReady(dialect: Dialect, queue: string, from: SortKey): Operation<Buffer[]> {
  const rows = yield* select<{ id: Buffer; expired: number | string | null }>(
    firstReady(dialect, queue, from, MOST_IDS, sql`id, ${hasExpired(dialect)} AS expired`),
  );
  return rows.filter(({ expired }) => Number(expired) === 1).map(({ id }) => id);
}
