import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { StepKind, StepState } from '../../tables/step.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { jobsWithSteps } from '../base/steps/delete-steps.js';
import { deleteSignalsOf } from '../base/steps/signal-keys.js';
import { abandonChildren } from '../base/steps/abandon-children.js';

/** Finds the number of a stored step of a job; undefined if it has no such step. Index: the primary key. */
export function* findStepSeq({ tables }: Dialect, id: Buffer, name: string): Operation<number | undefined> {
  const [row] = yield* select<{ seq: number | string }>(
    sql`SELECT seq FROM ${tables.step}
        WHERE job_id = ${id} AND kind IN ('step', 'sleep', 'signal', 'child') AND name = ${name}`,
  );
  return row && Number(row.seq);
}

/** A row of a step, as far as a retry needs it. */
interface StepRow {
  readonly job_id: Buffer;
  readonly kind: StepKind;
  readonly name: string;
  readonly state: StepState | 'undone';
  readonly seq: number | string;
  readonly awaits: string | null;
}

const OR = sql` OR `;

/**
 * Lets jobs that are retried run their failed steps again, with all their tries, and start children again that have not
 * succeeded. Stored results and cursors are kept. Signals that no wait has taken are deleted. Part of the transaction
 * that has locked the jobs' rows, so no worker writes steps of them.
 *
 * Index: the primary keys. Rows are changed by their whole keys. A range would lock the gap behind it at REPEATABLE
 * READ: until a long transaction of the caller ends, workers could store no step of a newer job. Jobs without steps and
 * signals cost two reads. A second run changes nothing.
 *
 * @param ids up to `MOST_IDS`.
 * @param fromSeq also deletes all rows with this number or a higher one.
 */
export function* resetSteps(dialect: Dialect, ids: readonly Buffer[], fromSeq = Infinity): Operation<void> {
  const { tables, byPrimaryKey, deleteFrom } = dialect;
  const durable = yield* jobsWithSteps(dialect, ids);
  if (durable.length > 0) {
    const rows = yield* select<StepRow>(
      sql`SELECT job_id, kind, name, state, seq, awaits FROM ${tables.step}
          WHERE job_id IN (${sql.list(durable)})
            AND (state IN ('open', 'failed', 'undone') OR kind = 'end'
                 OR seq >= ${Number.isFinite(fromSeq) ? fromSeq : Number.MAX_SAFE_INTEGER})`,
    );
    const isOver = ({ kind, state, seq }: StepRow) => state !== 'open' || kind === 'child' || Number(seq) >= fromSeq;
    const over = rows.filter(isOver);
    yield* abandonChildren(dialect, over);
    yield* changeSteps(over, (which) => sql`${deleteFrom(tables.step)} WHERE state IS NOT NULL AND (${which})`);
    yield* changeSteps(
      rows.filter((row) => row.kind === 'step' && !isOver(row)),
      (which) => sql`UPDATE ${tables.step} ${byPrimaryKey} SET failures = 0, due_at = NULL WHERE ${which}`,
    );
    // The job is not parked any more: a signal must not wake it up before its place in an order.
    yield* changeSteps(
      rows.filter((row) => row.kind !== 'step' && !isOver(row)),
      (which) => sql`UPDATE ${tables.step} ${byPrimaryKey} SET attempt = 0 WHERE ${which}`,
    );
  }
  yield* deleteSignalsOf(dialect, ids);
}

function* changeSteps(rows: readonly StepRow[], statement: (which: Fragment) => Fragment): Operation<void> {
  for (const chunk of chunksOf(rows, MOST_IDS)) {
    const keys = chunk.map(({ job_id: id, kind, name }) => sql`(job_id = ${id} AND kind = ${kind} AND name = ${name})`);
    yield* change(statement(sql.join(keys, OR)));
  }
}
