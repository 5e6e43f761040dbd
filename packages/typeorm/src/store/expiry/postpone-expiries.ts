import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { LiveState, Outcome } from '../../tables/job.js';
import { hasExpired } from '../base/jobs/has-expired.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';
import { IS_LIVE } from '../base/order/lane.js';

/** When to check a job again whose first attempt runs, in ms: a worker may return it without having started it. */
const WHILE_RUNNING = 60_000;
/** The same for a job that another transaction has locked. */
const WHILE_LOCKED = 2_000;

/**
 * Removes due rows of `tq_expiry` whose jobs did not expire: those have started, ended or lost their expiry time. Jobs
 * that are locked, or run for the first time, are checked again later.
 *
 * Part of a transaction of its own: two processes that change rows of the same jobs in two orders could deadlock.
 * Index: the primary keys. Locks: due rows of `tq_expiry`, skipping those that a transaction of the application has
 * locked, since it gives a job another expiry time. The reaper continues behind them, so they cannot hide others. A row
 * that has got a later time meanwhile is left alone.
 *
 * @param ids in key order, at most `MOST_IDS`, and at least one.
 */
export function* postponeExpiries(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  const due = yield* lockDue(dialect, ids);
  if (due.length === 0) {
    return;
  }
  const { tables, byPrimaryKey, now, deleteFrom } = dialect;
  const rows = yield* select<{ id: Buffer; state: LiveState | Outcome }>(
    sql`SELECT id, state FROM ${tables.job} ${byPrimaryKey}
        WHERE id IN (${sql.list(due)}) AND ${IS_LIVE} AND ${hasExpired(dialect)}`,
  );
  const changeDue = function* (some: readonly Buffer[], statement: (which: Fragment) => Fragment): Operation<void> {
    if (some.length > 0) {
      yield* change(statement(sql`job_id IN (${sql.list(some)}) AND check_at <= ${now}`));
    }
  };
  const running = rows.filter(({ state }) => state === 'running').map(({ id }) => id);
  const locked = rows.filter(({ state }) => state !== 'running').map(({ id }) => id);
  const over = due.filter((id) => !rows.some((row) => row.id.equals(id)));
  const postpone = (delay: number) => (which: Fragment) =>
    sql`UPDATE ${tables.expiry} ${byPrimaryKey} SET check_at = ${now} + ${delay} WHERE ${which}`;
  yield* changeDue(running, postpone(WHILE_RUNNING));
  yield* changeDue(locked, postpone(WHILE_LOCKED));
  yield* changeDue(over, (which) => sql`${deleteFrom(tables.expiry)} WHERE ${which}`);
}

function* lockDue(dialect: Dialect, ids: readonly Buffer[]): Operation<Buffer[]> {
  const { tables, byPrimaryKey, now } = dialect;
  const rows = yield* lockSkippingLocked<Buffer, { id: Buffer }>(
    dialect,
    ids,
    (id) => `expiry ${id.toString('hex')}`,
    (some, locking) =>
      sql`SELECT job_id AS id FROM ${tables.expiry} ${byPrimaryKey}
          WHERE job_id IN (${sql.list(some)}) AND check_at <= ${now} ${locking}`,
  );
  return rows.map(({ id }) => id);
}
