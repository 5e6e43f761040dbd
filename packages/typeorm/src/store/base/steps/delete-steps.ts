import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { deleteById } from '../delete-by-id.js';
import { deleteSignalsOf } from './signal-keys.js';

/** Returns those of some jobs that have steps. Index: a range of the primary key for each. Locks nothing. */
export function* jobsWithSteps({ tables }: Dialect, ids: readonly Buffer[]): Operation<Buffer[]> {
  if (ids.length === 0) {
    return [];
  }
  const rows = yield* select<{ job_id: Buffer }>(
    sql`SELECT DISTINCT job_id FROM ${tables.step} WHERE job_id IN (${sql.list(ids)})`,
  );
  return rows.map(({ job_id: id }) => id);
}

/**
 * Deletes the steps of jobs, up to `MOST_IDS`. Part of a transaction that has locked the jobs' rows, so no worker
 * writes steps of them. Jobs without steps cost one read.
 */
export function* deleteSteps(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  yield* deleteById(dialect, 'step', yield* jobsWithSteps(dialect, ids));
}

/** The same with their signals: for jobs whose rows are deleted. */
export function* deleteStepsAndSignals(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  if (ids.length > 0) {
    yield* deleteSteps(dialect, ids);
    yield* deleteSignalsOf(dialect, ids);
  }
}
