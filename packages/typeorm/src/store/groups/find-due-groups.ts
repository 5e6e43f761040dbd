import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Parameter, placeholders, select } from '../../engine/operation.js';
import type { MemberOutcome } from '../../tables/member.js';
import { MOST_IDS } from '../base/chunks.js';

/** How far the members of a group have come that has not finished. */
export interface GroupState {
  readonly id: Buffer;
  /** Whether any has not ended. */
  readonly hasOpen: boolean;
  /** Whether any has failed or was cancelled. */
  readonly hasFailure: boolean;
  /** Whether that has been acted upon. */
  readonly isFailureKnown: boolean;
}

/** Whether there is something to do about a group's callbacks. */
export function isGroupDue({ hasOpen, hasFailure, isFailureKnown }: GroupState): boolean {
  return !hasOpen || (hasFailure && !isFailureKnown);
}

/** The states of those of some groups, at most `MOST_IDS`, that have not finished. See `selectStates`. */
export function* findGroupStates(dialect: Dialect, ids: readonly Buffer[]): Operation<GroupState[]> {
  return yield* selectStates(dialect, `WHERE id IN (${placeholders(ids)}) AND finished_at IS NULL`, ids);
}

/** A part of the groups that have not finished. */
export interface OpenGroups {
  readonly states: readonly GroupState[];
  /** Where the part ends; undefined when nothing is left behind it. */
  readonly end: Buffer | undefined;
}

/**
 * The states of the next groups that have not finished, in the order of their ids. Index: that of the finished ones,
 * forced, or a server may come to read all groups along the primary key.
 */
export function* findOpenGroups(dialect: Dialect, after: Buffer): Operation<OpenGroups> {
  const next = `${dialect.byFinished} WHERE finished_at IS NULL AND id > ? ORDER BY id LIMIT ${MOST_IDS}`;
  const states = yield* selectStates(dialect, next, [after]);
  return { states, end: states.length === MOST_IDS ? states.at(-1)?.id : undefined };
}

/**
 * One statement, however many groups. Three dives into the members' primary key for each: the entry of one outcome that is
 * looked for first, or that there is none. The last open member is asked for and not the first: members are taken about
 * in the order of their ids, and entries of those that have ended stay until the server purges them. The ORDER BY names
 * the group because MySQL takes a value of the outer query for no constant, and sorted all open members without it.
 *
 * Locks nothing, so it sees no member that a transaction is about to end: whoever commits last sees all.
 */
function* selectStates({ tables }: Dialect, which: string, parameters: readonly Parameter[]): Operation<GroupState[]> {
  const member = (outcome: MemberOutcome) =>
    `(SELECT 1 FROM ${tables.member} member WHERE member.group_id = one.id AND member.outcome = '${outcome}'
      ORDER BY member.group_id DESC, member.job_id DESC LIMIT 1)`;
  const rows = yield* select<{
    id: Buffer;
    failed_at: unknown;
    any_open: unknown;
    any_failed: unknown;
    any_cancelled: unknown;
  }>(
    `SELECT one.id, one.failed_at, ${member('open')} AS any_open,
            ${member('failed')} AS any_failed, ${member('cancelled')} AS any_cancelled
     FROM (SELECT id, failed_at FROM ${tables.group} ${which}) one
     ORDER BY one.id`,
    parameters,
  );
  return rows.map((row) => ({
    id: row.id,
    hasOpen: row.any_open !== null,
    hasFailure: row.any_failed !== null || row.any_cancelled !== null,
    isFailureKnown: row.failed_at !== null,
  }));
}
