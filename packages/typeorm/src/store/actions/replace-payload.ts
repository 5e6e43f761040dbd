import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { JobStepsError } from '../../errors/index.js';

/**
 * Gives a finished job another payload. Part of the transaction that has locked its row, and retries it next.
 *
 * Index: the primary keys. A job with stored steps is refused: a step whose result is kept would not see the new
 * payload. No worker stores steps of a finished job. A second run does the same.
 *
 * @param payload its text as it is stored.
 * @throws JobStepsError
 */
export function* replacePayload(
  { tables, byPrimaryKey }: Dialect,
  id: Buffer,
  payload: string | null,
  version: number,
): Operation<void> {
  const steps = yield* select(sql`SELECT name FROM ${tables.step} WHERE job_id = ${id} LIMIT 1`);
  if (steps.length > 0) {
    throw new JobStepsError(uuidFromBytes(id), 'payload');
  }
  yield* change(
    sql`UPDATE ${tables.job} ${byPrimaryKey} SET payload = ${payload}, payload_version = ${version}
        WHERE id = ${id} AND state IN ('failed', 'cancelled', 'expired')`,
  );
}
