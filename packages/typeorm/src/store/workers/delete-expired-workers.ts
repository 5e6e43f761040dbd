import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** Deletes workers whose lease has ended; returns how many. Their jobs are found without them. */
export function* deleteExpiredWorkers({ tables, now }: Dialect): Operation<number> {
  return yield* change(sql`DELETE FROM ${tables.worker} WHERE lease_until <= ${now}`);
}
