import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { IS_LIVE } from '../base/order/lane.js';
import { changeHeads } from '../base/ordered/change-heads.js';
import type { OrderKey } from '../base/ordered/order-key.js';

/** How many order keys one page has. */
const KEYS_PER_PAGE = 2_000;

/** One page of the repair. */
export interface FreedHeads {
  readonly freed: number;
  /** The last key of the page; undefined on the last page. */
  readonly end: OrderKey | undefined;
}

/**
 * Frees order keys whose heads are no unfinished jobs, because other SQL has deleted or changed their rows. The reaper
 * advances them. Keys that a failed job blocks stay as they are. One page. Part of a transaction.
 *
 * Index: the primary keys. Locks: the rows of the freed keys. A head and its key change in one transaction, so one
 * statement sees both or neither. A second run changes nothing.
 */
export function* freeHeadsWithoutJob(dialect: Dialect, { name, key }: OrderKey): Operation<FreedHeads> {
  const { tables, deleteFrom } = dialect;
  const rows = yield* select<{
    name: string;
    order_key: string;
    job_id: Buffer;
    blocked: number | string;
    live: Buffer | null;
  }>(
    sql`SELECT page.name, page.order_key, page.job_id, page.blocked, job.id AS live
        FROM (SELECT name, order_key, job_id, (blocked_at IS NOT NULL) AS blocked FROM ${tables.orderKey}
              WHERE name > ${name} OR (name = ${name} AND order_key > ${key})
              ORDER BY name, order_key LIMIT ${sql.integer(KEYS_PER_PAGE)}) page
        LEFT JOIN ${tables.job} job ON job.id = page.job_id AND ${IS_LIVE}
        ORDER BY page.name, page.order_key`,
  );
  const lost = rows.filter(({ live, blocked }) => live === null && Number(blocked) === 0);
  yield* changeHeads(
    dialect,
    lost.map((row) => ({ id: row.job_id, name: row.name, key: row.order_key })),
    (which) => sql`${deleteFrom(tables.orderKey)} WHERE ${which} AND blocked_at IS NULL`,
  );
  const last = rows.length === KEYS_PER_PAGE ? rows.at(-1) : undefined;
  return { freed: lost.length, end: last && { name: last.name, key: last.order_key } };
}
