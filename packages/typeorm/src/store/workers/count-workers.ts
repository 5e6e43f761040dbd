import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** Counts the workers that claim jobs: with a lease, and neither quiet nor stopping. Reads the whole table, which has a row for each process. Locks nothing. */
export function* countWorkers({ tables, now }: Dialect): Operation<number> {
  const [row] = yield* select<{ workers: number | string }>(
    sql`SELECT COUNT(*) AS workers FROM ${tables.worker} WHERE lease_until > ${now} AND state = 'working'`,
  );
  return Number(row?.workers ?? 0);
}
