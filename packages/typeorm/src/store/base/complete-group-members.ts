import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import type { Outcome } from '../../tables/history.js';
import { MOST_IDS, chunksOf } from './chunks.js';

/** A job that ends, and the group it is a member of. */
export interface EndedJob {
  readonly id: Buffer;
  readonly groupId: Buffer | null;
  readonly outcome: Outcome;
}

/**
 * Notes how the members of groups among these jobs have ended. Only inside the transaction that takes the jobs out of
 * the live table, whose rows are locked. Jobs of no group, as a rule all of them, cost nothing.
 *
 * Index: each member by its whole primary key. Locks: the members' own rows, which nobody locks that has not locked
 * the job before. What this does to their groups is found out after the commit: see `release-groups.ts`.
 */
export function* completeGroupMembers(dialect: Dialect, jobs: readonly EndedJob[]): Operation<void> {
  const members = jobs.filter(({ groupId }) => groupId !== null);
  for (const part of chunksOf(members, MOST_IDS)) {
    yield* change(
      dialect.endMembers(part.length),
      part.flatMap(({ groupId, id, outcome }) => [groupId, id, outcome]),
    );
  }
}

/** The groups that jobs are members of, each once. */
export function groupsOf(jobs: readonly Pick<EndedJob, 'groupId'>[]): Buffer[] {
  const groups = new Map<string, Buffer>();
  for (const { groupId } of jobs) {
    if (groupId !== null) {
      groups.set(groupId.toString('hex'), groupId);
    }
  }
  return [...groups.values()];
}
