import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { OUTCOMES } from '../../tables/job.js';
import { IS_LIVE, lockAvailableJobs } from '../base/order/lane.js';
import type { LostMember } from './find-lost-rows.js';

const OPEN_MEMBER = sql`(${sql.open}, 'open', ${sql.open})`;
const OR = sql` OR `;

/**
 * Stores the rows of live members again that were lost. Part of a transaction; a second run changes nothing.
 *
 * Index and locks: the jobs by primary key, skipping those that another transaction has locked, then the new rows. A
 * member that has ended keeps its outcome: its job was restored and runs again.
 *
 * @param lost up to `MOST_IDS`.
 * @returns how many rows were stored.
 */
export function* restoreMembers(dialect: Dialect, lost: readonly LostMember[]): Operation<number> {
  const { tables, byPrimaryKey, insertIgnore } = dialect;
  const locked = yield* lockAvailableJobs(
    dialect,
    lost.map(({ jobId }) => jobId),
    sql`group_id IS NOT NULL AND ${IS_LIVE}`,
  );
  if (locked.length === 0) {
    return 0;
  }
  const isOneOf = lost.map(({ groupId, jobId }) => {
    return sql`(group_id = ${groupId} AND outcome IN (${sql.list(OUTCOMES)}) AND job_id = ${jobId})`;
  });
  const ended = yield* select<{ id: Buffer }>(
    sql`SELECT job_id AS id FROM ${tables.member} ${byPrimaryKey} WHERE ${sql.join(isOneOf, OR)}`,
  );
  const isOpen = ({ jobId }: LostMember) =>
    locked.some((id) => id.equals(jobId)) && !ended.some(({ id }) => id.equals(jobId));
  const open = lost.filter(isOpen);
  if (open.length > 0) {
    const rows = sql.rows(
      open.map(() => OPEN_MEMBER),
      open.flatMap(({ groupId, jobId }) => [groupId, jobId]),
    );
    yield* change(sql`${insertIgnore} ${tables.member} (group_id, outcome, job_id) VALUES ${rows}`);
  }
  return open.length;
}
