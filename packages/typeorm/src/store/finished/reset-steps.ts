import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { jobsWithSteps } from '../base/steps/delete-steps.js';
import { deleteSignals, findSignals } from '../base/steps/signal-keys.js';
import { NO_PARENT } from '../base/steps/store-child-outcomes.js';
import { uuidToBytes } from '../../definition/job-id.js';

const ANY = sql`TRUE`;

/** Finds the number of a stored step of a job; undefined if it has no such step. Index: the primary key. */
export function* findStepSeq({ tables }: Dialect, id: Buffer, name: string): Operation<number | undefined> {
  const [row] = yield* select<{ seq: number | string }>(
    sql`SELECT seq FROM ${tables.step}
        WHERE job_id = ${id} AND kind IN ('step', 'sleep', 'signal', 'child') AND name = ${name}`,
  );
  return row && Number(row.seq);
}

/**
 * Lets jobs that are retried run their failed steps again, with all their tries, and start children again that have not
 * succeeded. Stored results and cursors are kept.
 * Signals that no wait has taken are deleted. Part of the transaction that has locked the jobs' rows.
 *
 * Index: the primary keys. Jobs without steps and signals cost two reads. A second run changes nothing.
 *
 * @param ids up to `MOST_IDS`.
 * @param fromSeq also deletes all rows with this number or a higher one.
 */
export function* resetSteps(dialect: Dialect, ids: readonly Buffer[], fromSeq?: number): Operation<void> {
  const { tables, byPrimaryKey, deleteFrom } = dialect;
  const durable = yield* jobsWithSteps(dialect, ids);
  if (durable.length > 0) {
    const list = sql.list(durable);
    yield* abandonChildren(dialect, durable);
    yield* change(
      sql`${deleteFrom(tables.step)}
          WHERE job_id IN (${list})
            AND (state IN ('failed', 'undone') OR kind = 'end' OR (kind = 'child' AND state = 'open')
                 OR seq >= ${fromSeq ?? Number.MAX_SAFE_INTEGER})`,
    );
    yield* change(
      sql`UPDATE ${tables.step} ${byPrimaryKey} SET failures = 0, due_at = NULL
          WHERE job_id IN (${list}) AND kind = 'step' AND state = 'open'`,
    );
  }
  yield* deleteSignals(dialect, yield* findSignals(dialect, ids, ANY));
}

/** Leaves the children to the reaper for which the jobs waited: it cancels those that have not ended. */
function* abandonChildren({ tables, byPrimaryKey }: Dialect, ids: readonly Buffer[]): Operation<void> {
  const waits = yield* select<{ awaits: string }>(
    sql`SELECT awaits FROM ${tables.step}
        WHERE job_id IN (${sql.list(ids)}) AND kind = 'child' AND state = 'open' AND awaits IS NOT NULL`,
  );
  for (const chunk of chunksOf(waits, MOST_IDS)) {
    yield* change(
      sql`UPDATE ${tables.group} ${byPrimaryKey} SET parent = ${NO_PARENT}
          WHERE id IN (${sql.list(chunk.map(({ awaits }) => uuidToBytes(awaits)))})`,
    );
  }
}
