import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { inKeyOrderOf } from '../base/locks/fence.js';

/**
 * The first jobs whose limit has passed, started or not, in the order of their ids. Index: `tq_expiry` by time. It has
 * no entries of jobs without a limit. Locks nothing.
 */
export function* findDueExpiries({ tables, now }: Dialect): Operation<Buffer[]> {
  const rows = yield* select<{ job_id: Buffer }>(
    sql`SELECT job_id FROM ${tables.expiry} WHERE check_at <= ${now}
        ORDER BY check_at, job_id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  return inKeyOrderOf(
    rows.map(({ job_id: id }) => id),
    (id) => ({ id }),
  );
}
