import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import type { FailureCursor } from '../base/order/failure-cursor.js';
import { type FailureOrder, type FailureRange, selectNextFailures } from '../base/order/next-failures.js';

export interface FailureFilter extends FailureRange {
  readonly name: string | null;
  /** Text that the error contains. */
  readonly error: string | null;
}

export interface FailurePage {
  /** The matching jobs, in order. */
  readonly wanted: readonly FailureCursor[];
  /** The end of the page; undefined on the last page. */
  readonly end: FailureCursor | undefined;
}

/**
 * Finds the matching ones among the next failed jobs.
 *
 * Index: see `selectNextFailures`. With a name or an error it also reads the history, by its primary key. Locks
 * nothing: an action on these jobs must check them again.
 *
 * @param most how many failures are read, up to `MOST_IDS`.
 */
export function* findFailedJobs(
  dialect: Dialect,
  filter: FailureFilter,
  order: FailureOrder,
  after: FailureCursor,
  most: number,
): Operation<FailurePage> {
  const limit = Math.min(Math.trunc(most), MOST_IDS);
  const rows = yield* select<{ finished_at: number | string; job_id: Buffer }>(
    selectNextFailures(dialect, filter, order, after, limit),
  );
  const cursors = rows.map(({ finished_at: finishedAt, job_id: id }) => ({ finishedAt: Number(finishedAt), id }));
  return {
    wanted: yield* matching(dialect, filter, cursors),
    end: rows.length === limit ? cursors.at(-1) : undefined,
  };
}

function* matching(
  { tables, byPrimaryKey }: Dialect,
  { name, error }: FailureFilter,
  cursors: readonly FailureCursor[],
): Operation<readonly FailureCursor[]> {
  if ((name === null && error === null) || cursors.length === 0) {
    return cursors;
  }
  const isNamed = name === null ? sql.empty : sql`AND name = ${name}`;
  const hasError = error === null ? sql.empty : sql`AND INSTR(error, ${error}) > 0`;
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${tables.history} ${byPrimaryKey}
        WHERE id IN (${sql.list(cursors.map(({ id }) => id))}) ${isNamed} ${hasError}`,
  );
  const found = new Set(rows.map(({ id }) => id.toString('hex')));
  return cursors.filter(({ id }) => found.has(id.toString('hex')));
}
