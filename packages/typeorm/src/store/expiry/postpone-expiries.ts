import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { LiveState, Outcome } from '../../tables/job.js';
import { hasExpired } from '../base/jobs/has-expired.js';
import { IS_LIVE } from '../base/order/lane.js';

/** When to check a job again whose first attempt runs, in ms: a worker may return it without having started it. */
const WHILE_RUNNING = 60_000;
/** The same for a job that another transaction has locked. */
const WHILE_LOCKED = 2_000;

/**
 * Removes due rows of `tq_expiry` whose jobs did not expire: those have started, ended or lost their limit. Jobs that
 * are locked, or run for the first time, are checked again later. So each row that is found is deleted or moved on, and
 * cannot hide those after it.
 *
 * Each statement commits on its own: two processes that change rows of the same jobs in one transaction could deadlock.
 * Index: the primary keys. Locks: rows of `tq_expiry`. A row that has got a later time meanwhile is left alone.
 *
 * @param ids in key order, at most `MOST_IDS`.
 */
export function* postponeExpiries(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  if (ids.length === 0) {
    return;
  }
  const { tables, byPrimaryKey, now, deleteFrom } = dialect;
  const rows = yield* select<{ id: Buffer; state: LiveState | Outcome }>(
    sql`SELECT id, state FROM ${tables.job} ${byPrimaryKey}
        WHERE id IN (${sql.list(ids)}) AND ${IS_LIVE} AND ${hasExpired(dialect)}`,
  );
  const changeDue = function* (some: readonly Buffer[], statement: (which: Fragment) => Fragment): Operation<void> {
    if (some.length > 0) {
      yield* change(statement(sql`job_id IN (${sql.list(some)}) AND check_at <= ${now}`));
    }
  };
  const running = rows.filter(({ state }) => state === 'running').map(({ id }) => id);
  const locked = rows.filter(({ state }) => state !== 'running').map(({ id }) => id);
  const over = ids.filter((id) => !rows.some((row) => row.id.equals(id)));
  const postpone = (delay: number) => (which: Fragment) =>
    sql`UPDATE ${tables.expiry} ${byPrimaryKey} SET check_at = ${now} + ${delay} WHERE ${which}`;
  yield* changeDue(running, postpone(WHILE_RUNNING));
  yield* changeDue(locked, postpone(WHILE_LOCKED));
  yield* changeDue(over, (which) => sql`${deleteFrom(tables.expiry)} WHERE ${which}`);
}
