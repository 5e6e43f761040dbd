import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { WorkerRequest } from '../../tables/worker.js';

/**
 * Stores what is requested of a worker, which reads it with its next renewal. A repeated request keeps the first time
 * and person.
 *
 * Index and lock: the primary key. The renewal of the worker waits for it. If the worker dies before it has read the
 * request, the request goes with its row.
 *
 * @param by null if unknown.
 * @returns whether it was stored; `'missing'` where the worker has no lease.
 */
export function* requestOfWorker(
  { tables, now }: Dialect,
  id: number,
  requested: WorkerRequest,
  by: string | null,
): Operation<boolean | 'missing'> {
  const alive = sql`id = ${id} AND lease_until > ${now}`;
  // First without a lock: an UPDATE that finds no row would lock the gap where a worker registers.
  const [row] = yield* select(sql`SELECT id FROM ${tables.worker} WHERE ${alive}`);
  if (row === undefined) {
    return 'missing';
  }
  const stored = yield* change(
    sql`UPDATE ${tables.worker} SET requested = ${requested}, requested_by = ${by}, requested_at = ${now}
        WHERE ${alive} AND requested <> ${requested}`,
  );
  return stored === 1;
}
