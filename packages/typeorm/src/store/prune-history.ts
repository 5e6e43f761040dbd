import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../engine/operation.js';
import { type AttemptCounts, forgetErrors, mayHaveErrors } from './attempt-errors.js';
import { firstIdAt } from '../definition/job-id.js';
import { MOST_IDS } from './in-parts.js';

/** Where a pass over the history stands. */
export interface PruneCursor {
  /** Jobs up to this id were looked at. */
  readonly after: Buffer;
  /** Jobs that finished before this time, in ms by the database's clock, are to go. */
  readonly finishedBefore: number;
}

/** What one batch did. */
export interface PrunedBatch {
  readonly deleted: number;
  /** Undefined when there is nothing more to look at. */
  readonly next: PruneCursor | undefined;
}

interface FinishedRow extends AttemptCounts {
  readonly id: Buffer;
  readonly job_key: string | null;
  readonly finished_at: number | string;
}

/** Where a pass begins: at the oldest job. */
export function* startPruning(dialect: Dialect, age: number): Operation<PruneCursor> {
  const [row] = yield* select<{ finished_before: number | string }>(`SELECT ${dialect.now} - ? AS finished_before`, [
    age,
  ]);
  return { after: firstIdAt(0), finishedBefore: Number(row?.finished_before) };
}

/**
 * Deletes finished jobs of the history, with their keys and errors: one batch, in the order of their ids, which is about that of
 * their creation. What was created before that time and finished after it is passed over.
 *
 * Index: the primary keys, forward from the cursor; the history pays for no other one. It ends at the first id made
 * after that time. Locks: only rows that nothing changes any more. Does nothing the second time.
 */
export function* pruneBatch(dialect: Dialect, { after, finishedBefore }: PruneCursor): Operation<PrunedBatch> {
  const { tables, byPrimaryKey } = dialect;
  const rows = yield* select<FinishedRow>(
    `SELECT id, job_key, attempt, failures, finished_at FROM ${tables.history} ${byPrimaryKey}
     WHERE id > ? AND id < ? ORDER BY id LIMIT ${MOST_IDS}`,
    [after, firstIdAt(finishedBefore)],
  );
  const old = rows.filter(({ finished_at: finishedAt }) => Number(finishedAt) < finishedBefore);
  if (old.length > 0) {
    const ids = old.map(({ id }) => id);
    const keyed = old.filter(({ job_key: key }) => key !== null);
    if (keyed.length > 0) {
      yield* change(
        `${dialect.deleteFrom(tables.key)} WHERE ${keyed.map(() => '(job_key = ? AND job_id = ?)').join(' OR ')}`,
        keyed.flatMap(({ job_key: key, id }) => [key, id]),
      );
    }
    yield* forgetErrors(
      dialect,
      old.filter(mayHaveErrors).map(({ id }) => id),
    );
    yield* change(`${dialect.deleteFrom(tables.history)} WHERE id IN (${placeholders(ids)})`, ids);
  }
  const last = rows.at(-1)?.id;
  return { deleted: old.length, next: last && rows.length === MOST_IDS ? { after: last, finishedBefore } : undefined };
}
