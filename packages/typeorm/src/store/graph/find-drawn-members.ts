import { uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import type { MemberOutcome } from '../../tables/member.js';
import type { DrawnMembers, GroupRow } from './job-graph.js';
import { joinMembers } from './join-members.js';

/** The members of a larger group are drawn together. */
const MOST_ALONE = 30;

/** Whether the members of a group are drawn together, by outcome, state and name. */
export const isLarge = ({ jobs }: GroupRow): boolean => jobs > MOST_ALONE;

interface Found {
  readonly group_id: Buffer;
  readonly outcome: MemberOutcome;
  readonly job_id: Buffer;
}

/**
 * Finds how the members of groups are drawn, by the ids of the groups. Index: the primary keys; see `joinMembers` for
 * large groups. Locks nothing.
 *
 * @param groups up to `MOST_NODES`, and only a few large ones.
 */
export function* findDrawnMembers(
  dialect: Dialect,
  groups: readonly GroupRow[],
): Operation<ReadonlyMap<string, DrawnMembers>> {
  const small = groups.filter((group) => !isLarge(group)).map(({ id }) => uuidToBytes(id));
  const rows =
    small.length === 0
      ? []
      : yield* select<Found>(
          sql`SELECT group_id, outcome, job_id FROM ${dialect.tables.member} WHERE group_id IN (${sql.list(small)})`,
        );
  const drawn = new Map<string, DrawnMembers>();
  for (const [id, own] of groupBy(rows, (row) => uuidFromBytes(row.group_id))) {
    const members = own.map(({ job_id: job, outcome }) => ({ id: uuidFromBytes(job), outcome }));
    drawn.set(id, { members: members.toSorted((one, other) => (one.id < other.id ? -1 : 1)), others: [] });
  }
  for (const { id } of groups.filter(isLarge)) {
    drawn.set(id, yield* joinMembers(dialect, uuidToBytes(id)));
  }
  return drawn;
}
