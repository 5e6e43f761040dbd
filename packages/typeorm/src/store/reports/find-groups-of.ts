import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import type { MemberOutcome } from '../../tables/member.js';
import { type GroupSnapshot, findGroup } from './find-group.js';
import { type LinkedJob, findLinks } from './find-links.js';

/** The group that a job waits for, or has waited for, as a callback. */
export interface AwaitedGroup extends GroupSnapshot {
  /** Up to 20 of its members: those that failed or were cancelled, then those that have not ended, then the others. */
  readonly members: readonly LinkedJob[];
}

/** What a job has to do with groups. */
export interface GroupsOfJob {
  /** The group it is a member of; undefined where it is none, or no more. */
  readonly groupId: string | undefined;
  /** The callbacks of that group: they wait for it, or have been released, or cancelled. */
  readonly callbacks: readonly LinkedJob[];
  /** The group that it is a callback of. */
  readonly waitsFor: AwaitedGroup | undefined;
}

/**
 * How many groups are looked at for the one of a job. A group's id is made before those of its jobs, in the same process, one
 * after another: between them are groups that other processes, or other calls, made within the same milliseconds.
 */
const MOST_GROUPS = 1_000;
const MOST_MEMBERS = 20;
const OUTCOMES: readonly MemberOutcome[] = ['failed', 'cancelled', 'open', 'succeeded'];

const GROUP_COLUMNS = 'id, on_success, on_failure, on_complete';

/** What is known of a job as a member. */
interface Membership {
  /** What its row as one says, if it is one. */
  readonly outcome: MemberOutcome;
  /** Its group, where its own row names it: null of jobs that have ended, and of those that have none. */
  readonly group: Buffer | null;
}

interface Found {
  readonly id: Buffer;
  readonly is_member: number | string;
  readonly on_success: Buffer | null;
  readonly on_failure: Buffer | null;
  readonly on_complete: Buffer | null;
}

/**
 * Finds the groups that a job is a member or a callback of. The row of a live job names the group it is a member of. No
 * index leads from other jobs to groups, for its cost with every group: it looks at the groups made before the job, the
 * last first. Index: the primary keys. Locks nothing.
 */
export function* findGroupsOf(dialect: Dialect, job: Buffer, { outcome, group }: Membership): Operation<GroupsOfJob> {
  const { tables } = dialect;
  const found = yield* select<Found>(
    `SELECT recent.*, CASE WHEN member.job_id IS NULL THEN 0 ELSE 1 END AS is_member
     FROM (SELECT * FROM (SELECT ${GROUP_COLUMNS} FROM ${tables.group} WHERE id < ? ORDER BY id DESC LIMIT ${MOST_GROUPS}) before_it
           UNION ALL SELECT ${GROUP_COLUMNS} FROM ${tables.group} WHERE id = ?) recent
     LEFT JOIN ${tables.member} member
       ON member.group_id = recent.id AND member.outcome = ? AND member.job_id = ?
     WHERE member.job_id IS NOT NULL OR recent.on_success = ? OR recent.on_failure = ? OR recent.on_complete = ?`,
    [job, group, outcome, job, job, job, job],
  );
  const own = found.find((group) => Number(group.is_member) === 1);
  const awaited = found.find((group) => callbacksOf(group).some((id) => id.equals(job)));
  return {
    groupId: own && uuidFromBytes(own.id),
    callbacks: own ? yield* findLinks(dialect, callbacksOf(own)) : [],
    waitsFor: awaited && (yield* findAwaited(dialect, awaited.id)),
  };
}

function callbacksOf({ on_success, on_failure, on_complete }: Found): Buffer[] {
  return [on_success, on_failure, on_complete].filter((id) => id !== null);
}

function* findAwaited(dialect: Dialect, id: Buffer): Operation<AwaitedGroup | undefined> {
  const { tables } = dialect;
  const group = yield* findGroup(dialect, id);
  const rows = yield* select<{ job_id: Buffer; outcome: MemberOutcome }>(
    OUTCOMES.map(
      (outcome) =>
        `SELECT * FROM (SELECT job_id, outcome FROM ${tables.member} WHERE group_id = ? AND outcome = '${outcome}'
         ORDER BY job_id LIMIT ${MOST_MEMBERS}) ${outcome}_members`,
    ).join(' UNION ALL '),
    OUTCOMES.map(() => id),
  );
  const members = rows
    .toSorted((one, other) => OUTCOMES.indexOf(one.outcome) - OUTCOMES.indexOf(other.outcome))
    .slice(0, MOST_MEMBERS)
    .map(({ job_id: job }) => job);
  return group && { ...group, members: yield* findLinks(dialect, members) };
}
