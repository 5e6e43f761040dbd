import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { MemberOutcome } from '../../tables/member.js';
import { groupsOfCallbacks } from '../base/groups-of-callbacks.js';
import { type GroupSnapshot, findGroup } from './find-group.js';
import { type LinkedJob, findLinks } from './find-links.js';

/** A group that a job waits for: as its callback, or as the parent of children. */
export interface AwaitedGroup extends GroupSnapshot {
  /** Up to 20 of its members: failed, cancelled and expired ones first, then unfinished ones, then the others. */
  readonly members: readonly LinkedJob[];
}

export interface GroupsOfJob {
  /** The group it is a member of; undefined if there is none, or the group was deleted. */
  readonly groupId: string | undefined;
  /** The callbacks of that group: waiting, triggered or cancelled. */
  readonly callbacks: readonly LinkedJob[];
  /** The durable job whose child it is; undefined if it is none, or that job was deleted. */
  readonly parent: LinkedJob | undefined;
  /** The group for which it is a callback. */
  readonly waitsFor: AwaitedGroup | undefined;
}

const MOST_MEMBERS = 20;
const OUTCOMES: readonly MemberOutcome[] = ['failed', 'cancelled', 'expired', 'open', 'succeeded'];

const GROUP_COLUMNS = sql`id, on_success, on_failure, on_complete, parent`;

interface Found {
  readonly id: Buffer;
  readonly on_success: Buffer | null;
  readonly on_failure: Buffer | null;
  readonly on_complete: Buffer | null;
  readonly parent: Buffer | null;
}

/**
 * Finds the group that contains a job as a member, and the group for which it is a callback. The row of a member names
 * its group; for callbacks see `groupsOfCallbacks`. Index: the primary keys. Locks nothing.
 *
 * @param group the group that the job's row names.
 */
export function* findGroupsOf(dialect: Dialect, job: Buffer, group: Buffer | null): Operation<GroupsOfJob> {
  const { tables } = dialect;
  const found = yield* select<Found>(
    sql`${groupsOfCallbacks(dialect, GROUP_COLUMNS, [job], job)}
        UNION ALL SELECT ${GROUP_COLUMNS} FROM ${tables.group} WHERE id = ${group}`,
  );
  const own = group === null ? undefined : found.find(({ id }) => id.equals(group));
  const awaited = found.find((each) => callbacksOf(each).some((id) => id.equals(job)));
  const [parent] = own?.parent ? yield* findLinks(dialect, [own.parent]) : [];
  return {
    parent,
    groupId: own && uuidFromBytes(own.id),
    callbacks: own ? yield* findLinks(dialect, callbacksOf(own)) : [],
    waitsFor: awaited && (yield* findAwaited(dialect, awaited.id)),
  };
}

function callbacksOf({ on_success, on_failure, on_complete }: Found): Buffer[] {
  return [on_success, on_failure, on_complete].filter((id) => id !== null);
}

/** Index: the primary keys; up to 20 members of each outcome. Locks nothing. */
export function* findAwaited(dialect: Dialect, id: Buffer): Operation<AwaitedGroup | undefined> {
  const { tables } = dialect;
  const group = yield* findGroup(dialect, id);
  const rows = yield* select<{ job_id: Buffer; outcome: MemberOutcome }>(
    sql.join(
      OUTCOMES.map(
        (outcome, index) =>
          sql`SELECT * FROM (SELECT job_id, outcome FROM ${tables.member}
                             WHERE group_id = ${id} AND outcome = ${outcome}
                             ORDER BY job_id LIMIT ${sql.integer(MOST_MEMBERS)}) members_${sql.integer(index)}`,
      ),
      sql` UNION ALL `,
    ),
  );
  const members = rows
    .toSorted((one, other) => OUTCOMES.indexOf(one.outcome) - OUTCOMES.indexOf(other.outcome))
    .slice(0, MOST_MEMBERS)
    .map(({ job_id: job }) => job);
  return group && { ...group, members: yield* findLinks(dialect, members) };
}
