import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';
import { changeHeads } from '../base/ordered/change-heads.js';
import type { OrderKey, OrderedJob } from '../base/ordered/order-key.js';

/**
 * Lets order keys go on without the failed jobs that block them. Part of a transaction. After the commit the caller must
 * advance the keys.
 *
 * Index: the blocked keys, then the primary keys. Locks: the jobs' rows, skipping those that another transaction is
 * retrying, then the rows of the keys. A job that is no longer kept blocks its key all the same. A second run changes
 * nothing.
 *
 * @param ids up to `MOST_IDS`, in the order of their ids.
 * @param until leaves out jobs that finished after this time, in ms: a retry has failed again since.
 * @returns the keys that are free.
 */
export function* skipBlockingJobs(
  dialect: Dialect,
  ids: readonly Buffer[],
  until?: number,
): Operation<readonly OrderKey[]> {
  const { tables, byPrimaryKey } = dialect;
  const rows = yield* select<{ job_id: Buffer; name: string; order_key: string }>(
    sql`SELECT job_id, name, order_key FROM ${tables.orderKey}
        WHERE blocked_at IS NOT NULL AND job_id IN (${sql.list(ids)})`,
  );
  const blocking = rows.map((row): OrderedJob => ({ id: row.job_id, name: row.name, key: row.order_key }));
  if (blocking.length === 0) {
    return [];
  }
  const isBlocking = until === undefined ? IS_BLOCKING : sql`${IS_BLOCKING} AND finished_at <= ${until}`;
  const among = (some: readonly Buffer[]) => sql`id IN (${sql.list(some)}) AND state IS NOT NULL`;
  const kept = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${tables.job} WHERE ${among(blocking.map(({ id }) => id))}`,
  );
  const locked = yield* lockSkippingLocked<Buffer, { id: Buffer }>(
    dialect,
    kept.map(({ id }) => id),
    (id) => id.toString('hex'),
    (some, locking) =>
      sql`SELECT id FROM ${tables.job} ${byPrimaryKey} WHERE ${among(some)} AND ${isBlocking} ${locking}`,
  );
  if (locked.length > 0) {
    // A retry places it behind the others.
    yield* change(
      sql`UPDATE ${tables.job} ${byPrimaryKey} SET order_head = 0
          WHERE id IN (${sql.list(locked.map(({ id }) => id))}) AND ${isBlocking}`,
    );
  }
  const has = (jobs: readonly { readonly id: Buffer }[], { id }: OrderedJob) => jobs.some((job) => job.id.equals(id));
  const skipped = blocking.filter((job) => has(locked, job) || !has(kept, job));
  yield* changeHeads(
    dialect,
    skipped,
    (which) => sql`${dialect.deleteFrom(tables.orderKey)} WHERE ${which} AND blocked_at IS NOT NULL`,
  );
  return skipped.map(({ name, key }) => ({ name, key }));
}

const IS_BLOCKING = sql`state = 'failed' AND order_head = 1 AND order_blocks = 1`;
