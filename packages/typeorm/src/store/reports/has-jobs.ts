import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** Whether a queue has jobs in any state. Index: one entry of the lanes. Locks nothing. */
export function* hasJobs({ tables, byLane }: Dialect, queue: string): Operation<boolean> {
  const rows = yield* select(sql`SELECT 1 FROM ${tables.job} ${byLane} WHERE queue = ${queue} LIMIT 1`);
  return rows.length > 0;
}
