import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/**
 * Ends the sleeps of jobs, and their waits for the next try of a step. Waits for signals go on. Part of the transaction
 * that makes the jobs ready.
 *
 * Index: the primary key. A read without locks comes first, because most jobs have none. A second run changes nothing.
 *
 * @param ids up to `MOST_IDS`.
 */
export function* makeStepsDue({ tables, byPrimaryKey, now }: Dialect, ids: readonly Buffer[]): Operation<void> {
  const isLater = sql`kind IN ('step', 'sleep') AND state = 'open' AND due_at > ${now}`;
  const rows = yield* select<{ job_id: Buffer }>(
    sql`SELECT DISTINCT job_id FROM ${tables.step} WHERE job_id IN (${sql.list(ids)}) AND ${isLater}`,
  );
  if (rows.length > 0) {
    yield* change(
      sql`UPDATE ${tables.step} ${byPrimaryKey} SET due_at = ${now}
          WHERE job_id IN (${sql.list(rows.map(({ job_id: id }) => id))}) AND ${isLater}`,
    );
  }
}
