import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';

/** The state of the members of an unfinished group. */
export interface GroupState {
  readonly id: Buffer;
  /** Whether any member is unfinished. */
  readonly hasOpen: boolean;
  /** Whether any member failed, expired or was cancelled. */
  readonly hasFailure: boolean;
  /** Whether the callbacks for such a failure were triggered. */
  readonly isFailureKnown: boolean;
}

/** Whether callbacks of the group must be triggered. */
export function isGroupDue({ hasOpen, hasFailure, isFailureKnown }: GroupState): boolean {
  return !hasOpen || (hasFailure && !isFailureKnown);
}

/** Reads the states of the unfinished ones among some groups, at most `MOST_IDS`. See `selectStates`. */
export function* findGroupStates(dialect: Dialect, ids: readonly Buffer[]): Operation<GroupState[]> {
  return yield* selectStates(dialect, sql`WHERE id IN (${sql.list(ids)}) AND finished_at IS NULL`);
}

/**
 * Returns the ids, in hex, of the groups that have fewer rows of members than members: rows were lost, so these groups
 * look finished. Index: the primary keys; reads every member, so only for groups without an open one, at most
 * `MOST_IDS`. Locks nothing.
 */
export function* findIncompleteGroups(dialect: Dialect, states: readonly GroupState[]): Operation<Set<string>> {
  const ids = states.filter(({ hasOpen }) => !hasOpen).map(({ id }) => id);
  if (ids.length === 0) {
    return new Set();
  }
  const { tables, byPrimaryKey } = dialect;
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${tables.group} one ${byPrimaryKey}
        WHERE id IN (${sql.list(ids)})
          AND jobs > (SELECT COUNT(*) FROM ${tables.member} member WHERE member.group_id = one.id)`,
  );
  return new Set(rows.map(({ id }) => id.toString('hex')));
}

/** A page of the unfinished groups. */
export interface OpenGroups {
  readonly states: readonly GroupState[];
  /** The last group of the page; undefined on the last page. */
  readonly end: Buffer | undefined;
}

/**
 * Reads the states of the next unfinished groups, in the order of their ids. Index: the finished groups; it is forced,
 * because a server may otherwise read all groups along the primary key.
 *
 * @param limit up to `MOST_IDS`.
 */
export function* findOpenGroups(dialect: Dialect, after: Buffer, limit = MOST_IDS): Operation<OpenGroups> {
  const states = yield* selectStates(
    dialect,
    sql`${dialect.byFinished} WHERE finished_at IS NULL AND id > ${after} ORDER BY id LIMIT ${sql.integer(limit)}`,
  );
  return { states, end: states.length === limit ? states.at(-1)?.id : undefined };
}

/**
 * One statement for all groups. Index: four lookups in the members' primary key per group, one for each outcome.
 *
 * It asks for the last open member: members finish roughly in the order of their ids, and entries of finished members
 * stay in the index until the server purges them. The ORDER BY names the group, because MySQL does not treat a value of
 * the outer query as a constant and would sort all open members. See docs/decisions/0036.
 *
 * Locks nothing, so it does not see members that an open transaction finishes: the last transaction to commit sees all.
 */
function* selectStates({ tables }: Dialect, which: Fragment): Operation<GroupState[]> {
  const anyMember = (outcome: Fragment) =>
    sql`(SELECT 1 FROM ${tables.member} member WHERE member.group_id = one.id AND member.outcome = ${outcome}
         ORDER BY member.group_id DESC, member.job_id DESC LIMIT 1)`;
  const rows = yield* select<{
    id: Buffer;
    failed_at: unknown;
    any_open: unknown;
    any_failed: unknown;
    any_cancelled: unknown;
    any_expired: unknown;
  }>(
    sql`SELECT one.id, one.failed_at, ${anyMember(sql`'open'`)} AS any_open,
               ${anyMember(sql`'failed'`)} AS any_failed, ${anyMember(sql`'cancelled'`)} AS any_cancelled,
               ${anyMember(sql`'expired'`)} AS any_expired
        FROM (SELECT id, failed_at FROM ${tables.group} ${which}) one
        ORDER BY one.id`,
  );
  return rows.map((row) => ({
    id: row.id,
    hasOpen: row.any_open !== null,
    hasFailure: row.any_failed !== null || row.any_cancelled !== null || row.any_expired !== null,
    isFailureKnown: row.failed_at !== null,
  }));
}
