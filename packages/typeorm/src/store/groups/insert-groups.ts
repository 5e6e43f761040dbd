import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { insertJobs } from '../enqueue/insert-jobs.js';
import type { NewJob } from '../enqueue/new-job.js';

/** The jobs that wait for a group; null where there is no such one. */
export interface Callbacks<Callback> {
  readonly onSuccess: Callback | null;
  readonly onFailure: Callback | null;
  readonly onComplete: Callback | null;
}

/** A group about to be stored, by the ids of its jobs. */
export interface NewGroup {
  readonly id: Buffer;
  readonly members: readonly Buffer[];
  readonly callbacks: Callbacks<Buffer>;
}

/**
 * Stores groups, their members and their callbacks. Part of a transaction: nobody sees any of it before its end, so no
 * member ends before its group is known.
 *
 * Only inserts; locks the new rows. When it is run `again` after a broken connection, the first group is there if and
 * only if everything is.
 *
 * @param jobs the members and the callbacks of all the groups.
 */
export function* insertGroups(
  dialect: Dialect,
  groups: readonly NewGroup[],
  jobs: readonly NewJob[],
  again = false,
): Operation<void> {
  if (again && (yield* isStored(dialect, groups))) {
    return;
  }
  const { tables, now } = dialect;
  for (const part of chunksOf(groups, MOST_IDS)) {
    yield* change(
      `INSERT INTO ${tables.group} (id, jobs, on_success, on_failure, on_complete, created_at)
       VALUES ${part.map(() => `(?, ?, ?, ?, ?, ${now})`).join(', ')}`,
      part.flatMap(({ id, members, callbacks: { onSuccess, onFailure, onComplete } }) => {
        return [id, members.length, onSuccess, onFailure, onComplete];
      }),
    );
  }
  const members = groups.flatMap(({ id, members: own }) => own.map((member) => [id, member]));
  for (const part of chunksOf(members, MOST_IDS)) {
    yield* change(
      `INSERT INTO ${tables.member} (group_id, outcome, job_id) VALUES ${part.map(() => "(?, 'open', ?)").join(', ')}`,
      part.flat(),
    );
  }
  yield* insertJobs(dialect, jobs);
}

function* isStored({ tables }: Dialect, groups: readonly NewGroup[]): Operation<boolean> {
  const ids = groups.slice(0, 1).map(({ id }) => id);
  return (yield* select(`SELECT id FROM ${tables.group} WHERE id = ?`, ids)).length > 0;
}
