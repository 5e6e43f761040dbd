import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import type { Outcome } from '../../../tables/job.js';
import { MOST_IDS, chunksOf, mostThatFit } from '../chunks.js';
import { storeChildOutcomes } from '../steps/store-child-outcomes.js';

export interface EndedMember {
  readonly id: Buffer;
  readonly groupId: Buffer | null;
  readonly outcome: Outcome;
  /** The result of a child, as JSON text. */
  readonly result?: string | null;
  /** The error of a child. */
  readonly error?: string | null;
}

/** How long the SELECT of one member is. */
const MEMBER_BYTES = 180;

/**
 * Records the outcome of the jobs that are members of groups. Only inside the transaction that finishes the jobs, whose
 * rows are locked. Jobs without a group cost nothing.
 *
 * Index: each member by its whole primary key. Locks: the members' rows, which are locked only after the job's row.
 * Groups that this completes are found after the commit: see `groups/trigger-callbacks.ts`.
 */
export function* completeGroupMembers(dialect: Dialect, jobs: readonly EndedMember[]): Operation<void> {
  const members = jobs.flatMap(({ id, groupId, outcome }) =>
    groupId === null ? [] : [{ groupId, jobId: id, outcome }],
  );
  for (const chunk of chunksOf(members, mostThatFit(dialect, MOST_IDS, MEMBER_BYTES))) {
    yield* change(dialect.completeGroupMembers(chunk));
  }
  yield* storeChildOutcomes(dialect, jobs);
}

/** The groups of jobs, each once. */
export function groupsOf(jobs: readonly Pick<EndedMember, 'groupId'>[]): Buffer[] {
  const groups = new Map<string, Buffer>();
  for (const { groupId } of jobs) {
    if (groupId !== null) {
      groups.set(groupId.toString('hex'), groupId);
    }
  }
  return [...groups.values()];
}
