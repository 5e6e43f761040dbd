import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type LiveState, isLive } from '../../tables/job.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { findLanes, statesOf } from '../base/order/find-lanes.js';
import { sortKeyCondition } from '../base/order/sort-key-condition.js';
import { BEFORE_ALL, type SortKey } from '../base/order/sort-key.js';

/** How many live jobs one page has. */
export const JOBS_PER_PAGE = 2_000;

/** A live job without the row of its unique key. */
export interface LostKey {
  readonly jobId: Buffer;
  readonly name: string;
  readonly key: string;
}

/** A live job without its row as a member of a group. */
export interface LostMember {
  readonly jobId: Buffer;
  readonly groupId: Buffer;
}

/** The rows that the live jobs of a page have lost. */
export interface LostRows {
  readonly keys: readonly LostKey[];
  readonly members: readonly LostMember[];
  /** The last job of the page; undefined on the last page. */
  readonly end: LiveCursor | undefined;
}

/** The unfinished jobs of a queue in one state. */
export interface LiveJobs {
  readonly queue: string;
  readonly state: LiveState;
}

/** The position of a job among those of its queue and state. */
export interface LiveCursor extends SortKey {
  readonly lane: number;
}

/** Before all of them. */
export const LIVE_START: LiveCursor = { ...BEFORE_ALL, lane: 0 };

/** Finds the queues and states that have unfinished jobs. Index: jumps from lane to lane. Locks nothing. */
export function* findLiveJobs(dialect: Dialect): Operation<LiveJobs[]> {
  return statesOf(yield* findLanes(dialect)).flatMap(({ queue, state }) => (isLive(state) ? { queue, state } : []));
}

/**
 * Finds live jobs whose row in `tq_unique` or `tq_member` is missing: deleted by other SQL, or emptied. One page.
 *
 * Index: the lanes of a queue and state, for one page of jobs, and the primary keys of the tables. A transaction
 * changes a job together with its rows, so one statement sees both or neither. Locks nothing.
 */
export function* findLostRows(dialect: Dialect, { queue, state }: LiveJobs, after: LiveCursor): Operation<LostRows> {
  const { tables, byPrimaryKey, byLane } = dialect;
  const page = sql`FROM ${tables.job} ${byLane}
                   WHERE queue = ${queue} AND state = ${state} AND ${isAfter(dialect, after)}
                   ORDER BY lane, position, id`;
  const [last] = yield* select<{ lane: number | string; position: number | string; id: Buffer }>(
    sql`SELECT lane, position, id ${page} LIMIT 1 OFFSET ${sql.integer(JOBS_PER_PAGE - 1)}`,
  );
  const rows = yield* select<{
    id: Buffer;
    name: string;
    unique_key: string | null;
    holder: Buffer | null;
    open_group: Buffer | null;
    member: Buffer | null;
  }>(
    sql`SELECT job.id, job.name, job.unique_key, held.job_id AS holder, open_group.id AS open_group,
               member.job_id AS member
        FROM (SELECT id AS page_id ${page} LIMIT ${sql.integer(JOBS_PER_PAGE)}) page
        JOIN ${tables.job} job ${byPrimaryKey} ON job.id = page.page_id AND job.state = ${state}
        LEFT JOIN ${tables.unique} held ${byPrimaryKey} ON held.name = job.name AND held.unique_key = job.unique_key
        LEFT JOIN ${tables.group} open_group ${byPrimaryKey}
          ON open_group.id = job.group_id AND open_group.finished_at IS NULL
        LEFT JOIN ${tables.member} member ${byPrimaryKey}
          ON member.group_id = open_group.id AND member.outcome = 'open' AND member.job_id = job.id
        WHERE (job.unique_key IS NOT NULL AND held.job_id IS NULL)
           OR (open_group.id IS NOT NULL AND member.job_id IS NULL)`,
  );
  const inOrder = inKeyOrder(rows);
  return {
    keys: inOrder.flatMap(({ id, name, unique_key: key, holder }) => {
      return key !== null && holder === null ? [{ jobId: id, name, key }] : [];
    }),
    members: inOrder.flatMap(({ id, open_group: groupId, member }) => {
      return groupId !== null && member === null ? [{ jobId: id, groupId }] : [];
    }),
    end: last && { lane: Number(last.lane), position: Number(last.position), id: last.id },
  };
}

/** Index: a range of the lanes. See `sortKeyCondition`. */
function isAfter(dialect: Dialect, { lane, ...key }: LiveCursor): Fragment {
  return dialect.rangesByRowComparison
    ? sql`(lane, position, id) > (${lane}, ${key.position}, ${key.id})`
    : sql`(lane > ${lane} OR (lane = ${lane} AND ${sortKeyCondition(dialect, '>', key)}))`;
}
