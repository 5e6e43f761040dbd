import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/**
 * Stops an operation that runs. It waits for the transaction that is changing jobs for it: up to 400 of them.
 *
 * Index and lock: the primary key. A second run changes nothing.
 *
 * @returns whether it ran.
 */
export function* stopOperation({ tables, now }: Dialect, id: Buffer): Operation<boolean> {
  const stopped = yield* change(
    sql`UPDATE ${tables.bulkOperation} SET state = 'stopped', finished_at = ${now}
        WHERE id = ${id} AND state = 'running'`,
  );
  return stopped > 0;
}
