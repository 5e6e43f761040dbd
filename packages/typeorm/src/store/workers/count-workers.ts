import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';

/** Counts the workers whose lease has not ended. Reads the whole table, which has a row for each process. Locks nothing. */
export function* countWorkers({ tables, now }: Dialect): Operation<number> {
  const [row] = yield* select<{ workers: number | string }>(
    `SELECT COUNT(*) AS workers FROM ${tables.worker} WHERE lease_until > ${now}`,
  );
  return Number(row?.workers ?? 0);
}
