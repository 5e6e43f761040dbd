import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import { MOST_IDS, chunksBySize } from '../chunks.js';
import { type Due, STEP_BYTES, type WaitRow } from './step-row.js';

const NULL = sql`NULL`;
const KEY = sql`job_id, kind, name`;
const CHANGED = [
  sql`state`,
  sql`seq`,
  sql`attempt`,
  sql`failures`,
  sql`due_at`,
  sql`value`,
  sql`error`,
  sql`awaits`,
  sql`needs`,
  sql`recorded_at`,
];

/**
 * Stores rows of jobs. Part of a transaction that has locked the jobs' rows under the fence, so no other transaction
 * writes these rows. Index: the primary key. A second run stores the same.
 */
export function* upsertWaits(dialect: Dialect, rows: readonly WaitRow[]): Operation<void> {
  const assignments = sql.join(CHANGED.map((column) => sql`${column} = ${dialect.newValue(column)}`));
  const bytesOf = ({ name, awaits, value, error }: WaitRow, measure: (text: string | null) => number) =>
    STEP_BYTES + measure(name) + measure(awaits) + measure(value) + measure(error);
  for (const chunk of chunksBySize(dialect, rows, MOST_IDS, bytesOf)) {
    const values = chunk.map(
      ({ job, kind, name, state, seq, failures, due, value, error, awaits, needs = 1 }) =>
        sql`(${job.id}, ${kind}, ${name}, ${state}, ${seq}, ${job.attempt}, ${failures}, ${dueAt(dialect, due)},
             ${value}, ${error}, ${awaits}, ${needs}, ${dialect.now})`,
    );
    yield* change(
      sql`INSERT INTO ${dialect.tables.step}
            (job_id, kind, name, state, seq, attempt, failures, due_at, value, error, awaits, needs, recorded_at)
          VALUES ${sql.join(values)} ${dialect.onConflictUpdate(KEY)} ${assignments}`,
    );
  }
}

function dueAt({ now }: Dialect, due: Due | null): Fragment {
  if (due === null) {
    return NULL;
  }
  return 'at' in due ? sql`${due.at}` : sql`${now} + ${due.delay}`;
}
