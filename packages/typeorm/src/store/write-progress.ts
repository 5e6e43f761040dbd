import type { Dialect } from '../engine/dialect.js';
import { type Operation, change } from '../engine/operation.js';
import type { ClaimedJob } from './claimed-job.js';
import { fenced, inKeyOrderOf } from './fence.js';
import { inParts } from './in-parts.js';

/** How far a job has come, as JSON text. */
export interface ToldProgress {
  readonly job: ClaimedJob;
  readonly text: string;
}

/**
 * Writes down the progress of running jobs, under the fence. Up to `MOST_IDS`, in statements that carry no more text
 * than one may.
 *
 * Index: the primary key. Locks: the jobs' rows, in the order of their ids, for the length of the statement. The same
 * again the second time.
 */
export function* writeProgress(dialect: Dialect, entries: readonly ToldProgress[]): Operation<void> {
  const inOrder = inKeyOrderOf(entries, ({ job }) => job);
  for (const part of inParts(inOrder, inOrder.length, ({ text }) => text.length)) {
    const fence = fenced(part.map(({ job }) => job));
    yield* change(
      `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
       SET progress = CASE id ${part.map(() => 'WHEN ? THEN ?').join(' ')} END WHERE ${fence.sql}`,
      [...part.flatMap(({ job, text }) => [job.id, text]), ...fence.parameters],
    );
  }
}
