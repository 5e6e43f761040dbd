import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import type { Outcome } from '../../../tables/job.js';
import { changeHeads } from './change-heads.js';
import { type Place, deleteOrdered } from './delete-ordered.js';

/** A job that has ended. */
export interface EndedInOrder {
  readonly id: Buffer;
  readonly name: string;
  readonly orderKey: string | null;
  readonly outcome: Outcome;
}

/**
 * Frees the keys of heads that have ended, or blocks them. Only inside the transaction that finishes the jobs, whose
 * rows are locked. Jobs without an order cost nothing. After the commit someone must advance the keys: see
 * `advance-keys.ts`.
 *
 * Index: the primary key. Locks: the rows of these keys, which are locked only after the jobs' rows.
 */
export function* endHeads(dialect: Dialect, jobs: readonly EndedInOrder[]): Operation<void> {
  const ordered = jobs.filter(({ orderKey }) => orderKey !== null);
  if (ordered.length === 0) {
    return;
  }
  const blocking = yield* findBlocking(
    dialect,
    ordered.filter(({ outcome }) => outcome === 'failed'),
  );
  const { orderKey: keys } = dialect.tables;
  const headOf = ({ id, name, orderKey: key }: EndedInOrder) => ({ id, name, key: key as string });
  const block = (which: Fragment) =>
    sql`UPDATE ${keys} ${dialect.byPrimaryKey} SET blocked_at = ${dialect.now} WHERE ${which}`;
  yield* changeHeads(dialect, blocking.map(headOf), block);
  yield* changeHeads(
    dialect,
    ordered.filter((job) => !blocking.includes(job)).map(headOf),
    (which) => sql`${dialect.deleteFrom(keys)} WHERE ${which}`,
  );
}

/**
 * Deletes the places of jobs that have ended before they were heads. Only inside that transaction, as `endHeads`.
 *
 * Index: that of the jobs' ids, then the primary key. A transaction at REPEATABLE READ may not see a newer place of a
 * job; `advanceKeys` deletes it.
 */
export function* deletePlaces(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  if (ids.length === 0) {
    return;
  }
  const rows = yield* select<Place>(
    sql`SELECT place, job_id FROM ${dialect.tables.ordered} WHERE job_id IN (${sql.list(ids)})`,
  );
  yield* deleteOrdered(dialect, rows);
}

/** The jobs among some that have failed whose keys must be blocked. */
function* findBlocking<Job extends EndedInOrder>(
  { tables, byPrimaryKey }: Dialect,
  failed: readonly Job[],
): Operation<readonly Job[]> {
  if (failed.length === 0) {
    return [];
  }
  const ids = sql.list(failed.map(({ id }) => id));
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${tables.job} ${byPrimaryKey} WHERE id IN (${ids}) AND order_blocks = 1`,
  );
  return failed.filter(({ id }) => rows.some((row) => row.id.equals(id)));
}
