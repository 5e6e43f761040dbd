import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

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
  readonly end: Buffer | undefined;
}

/**
 * Finds live jobs whose row in `tq_unique` or `tq_member` is missing: deleted by other SQL, or emptied. One page.
 *
 * Index: the primary key of the jobs, for one page of them; from those with a unique key or a group to the primary keys
 * of the other tables. A transaction stores and deletes a job together with its rows, so one statement sees both or
 * neither. Locks nothing.
 *
 * @param after only jobs with a higher id.
 */
export function* findLostRows(dialect: Dialect, after: Buffer): Operation<LostRows> {
  const { tables, byPrimaryKey } = dialect;
  const [last] = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${tables.job} ${byPrimaryKey} WHERE id > ${after}
        ORDER BY id LIMIT 1 OFFSET ${sql.integer(JOBS_PER_PAGE - 1)}`,
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
        FROM ${tables.job} job ${byPrimaryKey}
        LEFT JOIN ${tables.unique} held ${byPrimaryKey} ON held.name = job.name AND held.unique_key = job.unique_key
        LEFT JOIN ${tables.group} open_group ${byPrimaryKey}
          ON open_group.id = job.group_id AND open_group.finished_at IS NULL
        LEFT JOIN ${tables.member} member ${byPrimaryKey}
          ON member.group_id = open_group.id AND member.outcome = 'open' AND member.job_id = job.id
        WHERE job.id > ${after} ${last ? sql`AND job.id <= ${last.id}` : sql.empty}
          AND ((job.unique_key IS NOT NULL AND held.job_id IS NULL)
            OR (open_group.id IS NOT NULL AND member.job_id IS NULL))
        ORDER BY job.id`,
  );
  return {
    keys: rows.flatMap(({ id, name, unique_key: key, holder }) => {
      return key !== null && holder === null ? [{ jobId: id, name, key }] : [];
    }),
    members: rows.flatMap(({ id, open_group: groupId, member }) => {
      return groupId !== null && member === null ? [{ jobId: id, groupId }] : [];
    }),
    end: last?.id,
  };
}
