import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';

/** A group at the time of the read. */
export interface GroupSnapshot {
  readonly id: string;
  /** The number of its members. */
  readonly jobs: number;
  /** How many members succeeded. */
  readonly succeeded: number;
  /** How many members failed and are not retried. */
  readonly failed: number;
  /** How many members were cancelled. */
  readonly cancelled: number;
  /** How many members expired before they started. */
  readonly expired: number;
  /** How many members are unfinished. */
  readonly pending: number;
  /** The id of its `onSuccess` callback. */
  readonly onSuccess: string | undefined;
  /** The id of its `onFailure` callback. */
  readonly onFailure: string | undefined;
  /** The id of its `onComplete` callback. */
  readonly onComplete: string | undefined;
  readonly createdAt: Date;
  /** When all members were finished and the callbacks were triggered; undefined before. */
  readonly finishedAt: Date | undefined;
}

type Numeric = number | string;

interface GroupRow {
  readonly jobs: Numeric;
  readonly succeeded: Numeric;
  readonly failed: Numeric;
  readonly cancelled: Numeric;
  readonly expired: Numeric;
  readonly on_success: Buffer | null;
  readonly on_failure: Buffer | null;
  readonly on_complete: Buffer | null;
  readonly created_at: Numeric;
  readonly finished_at: Numeric | null;
}

/** Finds a group by its id. Index: the primary keys; reads an entry for each finished member. Locks nothing. */
export function* findGroup({ tables }: Dialect, id: Buffer): Operation<GroupSnapshot | undefined> {
  const count = (outcome: Fragment) =>
    sql`(SELECT COUNT(*) FROM ${tables.member} member
         WHERE member.group_id = one.id AND member.outcome = ${outcome})`;
  const [row] = yield* select<GroupRow>(
    sql`SELECT jobs, on_success, on_failure, on_complete, created_at, finished_at,
               ${count(sql`'succeeded'`)} AS succeeded, ${count(sql`'failed'`)} AS failed,
               ${count(sql`'cancelled'`)} AS cancelled, ${count(sql`'expired'`)} AS expired
        FROM ${tables.group} one WHERE id = ${id}`,
  );
  return row && toSnapshot(id, row);
}

function toSnapshot(id: Buffer, row: GroupRow): GroupSnapshot {
  const jobs = Number(row.jobs);
  const succeeded = Number(row.succeeded);
  const failed = Number(row.failed);
  const cancelled = Number(row.cancelled);
  const expired = Number(row.expired);
  return {
    id: uuidFromBytes(id),
    jobs,
    succeeded,
    failed,
    cancelled,
    expired,
    pending: jobs - succeeded - failed - cancelled - expired,
    onSuccess: textOf(row.on_success),
    onFailure: textOf(row.on_failure),
    onComplete: textOf(row.on_complete),
    createdAt: new Date(Number(row.created_at)),
    finishedAt: row.finished_at === null ? undefined : new Date(Number(row.finished_at)),
  };
}

function textOf(id: Buffer | null): string | undefined {
  return id === null ? undefined : uuidFromBytes(id);
}
