import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** The present time in ms, by the database's clock. */
export function* readClock({ now }: Dialect): Operation<number> {
  const [row] = yield* select<{ present: number | string }>(sql`SELECT ${now} AS present`);
  return Number(row?.present);
}
