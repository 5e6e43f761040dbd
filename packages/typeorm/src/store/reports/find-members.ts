import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { MemberOutcome } from '../../tables/member.js';
import { type LinkedJob, findLinks } from './find-links.js';

/** A page of the members of a group. */
export interface MemberPage {
  /** Pruned jobs are missing. */
  readonly members: readonly LinkedJob[];
  /** The last member of the page; undefined on the last page. */
  readonly next: Buffer | undefined;
}

/**
 * Finds the members of a group with one outcome, in the order of their ids. Index: the primary keys; reads one entry
 * more than the page has. Locks nothing.
 *
 * @param after the last member of the page before; undefined for the first page.
 */
export function* findMembers(
  dialect: Dialect,
  group: Buffer,
  outcome: MemberOutcome,
  after: Buffer | undefined,
  limit: number,
): Operation<MemberPage> {
  const isBehind = after === undefined ? sql.empty : sql`AND job_id > ${after}`;
  const rows = yield* select<{ job_id: Buffer }>(
    sql`SELECT job_id FROM ${dialect.tables.member}
        WHERE group_id = ${group} AND outcome = ${outcome} ${isBehind}
        ORDER BY job_id LIMIT ${sql.integer(limit + 1)}`,
  );
  const ids = rows.slice(0, limit).map(({ job_id: id }) => id);
  return { members: yield* findLinks(dialect, ids), next: rows.length > limit ? ids.at(-1) : undefined };
}
