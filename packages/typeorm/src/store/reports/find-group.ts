import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import type { MemberOutcome } from '../../tables/member.js';

/** A group as it was when it was looked at. */
export interface GroupSnapshot {
  readonly id: string;
  /** How many members it has. */
  readonly jobs: number;
  /** How many of them have succeeded. */
  readonly succeeded: number;
  /** How many of them have failed for good. */
  readonly failed: number;
  /** How many of them were cancelled. */
  readonly cancelled: number;
  /** How many of them have not ended. */
  readonly pending: number;
  /** The ids of its callbacks. */
  readonly onSuccess: string | undefined;
  readonly onFailure: string | undefined;
  readonly onComplete: string | undefined;
  readonly createdAt: Date;
  /** When all members had ended and the callbacks were released; undefined before. */
  readonly finishedAt: Date | undefined;
}

type Numeric = number | string;

interface GroupRow {
  readonly jobs: Numeric;
  readonly succeeded: Numeric;
  readonly failed: Numeric;
  readonly cancelled: Numeric;
  readonly on_success: Buffer | null;
  readonly on_failure: Buffer | null;
  readonly on_complete: Buffer | null;
  readonly created_at: Numeric;
  readonly finished_at: Numeric | null;
}

/** Finds a group by its id. Index: the primary keys; reads an entry for each member that has ended. Locks nothing. */
export function* findGroup({ tables }: Dialect, id: Buffer): Operation<GroupSnapshot | undefined> {
  const count = (outcome: MemberOutcome) =>
    `(SELECT COUNT(*) FROM ${tables.member} member
      WHERE member.group_id = one.id AND member.outcome = '${outcome}') AS ${outcome}`;
  const [row] = yield* select<GroupRow>(
    `SELECT jobs, on_success, on_failure, on_complete, created_at, finished_at,
            ${count('succeeded')}, ${count('failed')}, ${count('cancelled')}
     FROM ${tables.group} one WHERE id = ?`,
    [id],
  );
  return row && toSnapshot(id, row);
}

function toSnapshot(id: Buffer, row: GroupRow): GroupSnapshot {
  const [jobs, succeeded, failed, cancelled] = [row.jobs, row.succeeded, row.failed, row.cancelled].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  return {
    id: uuidFromBytes(id),
    jobs,
    succeeded,
    failed,
    cancelled,
    pending: jobs - succeeded - failed - cancelled,
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
