import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { completeGroupMembers } from '../base/jobs/complete-group-members.js';
import { IS_LIVE } from '../base/order/lane.js';

/** The groups of a page that have an open member without an unfinished job. */
export interface GroupsWithoutJobs {
  readonly groups: readonly Buffer[];
  /** The last group of the page; undefined on the last page. */
  readonly end: Buffer | undefined;
}

/**
 * Finds unfinished groups whose last open member is not an unfinished job: other SQL has deleted it. One page. A
 * missing job of another member is found when the members after it have ended.
 *
 * Index: the finished groups; then for each group one entry of the members' primary key, see `find-due-groups.ts`, and
 * the primary key of the jobs. Locks nothing.
 */
export function* findGroupsWithoutJobs(dialect: Dialect, after: Buffer): Operation<GroupsWithoutJobs> {
  const { tables, byFinished } = dialect;
  const rows = yield* select<{ id: Buffer; last_open: Buffer | null; job: Buffer | null }>(
    sql`SELECT waiting.id, waiting.last_open, job.id AS job
        FROM (
          SELECT one.id, (SELECT member.job_id FROM ${tables.member} member
                          WHERE member.group_id = one.id AND member.outcome = 'open'
                          ORDER BY member.group_id DESC, member.job_id DESC LIMIT 1) AS last_open
          FROM (SELECT id FROM ${tables.group} ${byFinished}
                WHERE finished_at IS NULL AND id > ${after} ORDER BY id LIMIT ${sql.integer(MOST_IDS)}) one
        ) waiting
        LEFT JOIN ${tables.job} job ON job.id = waiting.last_open AND ${IS_LIVE}`,
  );
  const ids = rows.map(({ id }) => id).sort((a, b) => a.compare(b));
  return {
    groups: rows.flatMap(({ id, last_open: lastOpen, job }) => (lastOpen !== null && job === null ? id : [])),
    end: ids.length === MOST_IDS ? ids.at(-1) : undefined,
  };
}

/**
 * Ends the open members of a group that are not unfinished jobs: they count as cancelled. Part of a transaction; a
 * second run changes nothing. The reaper then triggers the callbacks.
 *
 * Index: the open members of the group, up to `MOST_IDS` without a job, and the primary key of the jobs; then each
 * member by its whole primary key. Locks: those members.
 *
 * @returns how many members have ended.
 */
export function* cancelMembersWithoutJob(dialect: Dialect, groupId: Buffer): Operation<number> {
  const { tables, byPrimaryKey } = dialect;
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT member.job_id AS id FROM ${tables.member} member ${byPrimaryKey}
        LEFT JOIN ${tables.job} job ON job.id = member.job_id AND ${IS_LIVE}
        WHERE member.group_id = ${groupId} AND member.outcome = 'open' AND job.id IS NULL
        LIMIT ${sql.integer(MOST_IDS)}`,
  );
  yield* completeGroupMembers(
    dialect,
    rows.map(({ id }) => ({ id, groupId, outcome: 'cancelled' })),
  );
  return rows.length;
}
