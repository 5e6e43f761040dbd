import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import type { ClaimedJob } from '../base/claimed-job.js';
import { fenced } from '../base/fence.js';
import { chunksOf } from '../base/chunks.js';
import { lockRunning } from './lock-running.js';

/** How far a job has come, as JSON text. */
export interface ToldProgress {
  readonly job: ClaimedJob;
  readonly text: string;
}

/**
 * Writes down the progress of running jobs, under the fence. Up to `MOST_IDS`, in statements that carry no more text
 * than one may.
 *
 * Part of a transaction. Index: the primary key. Locks: the jobs' rows, in the order of their ids, before any is
 * changed: an UPDATE that waits for one would hold those before it, and their outcomes, see `lock-running.ts`. The same
 * again the second time.
 *
 * @returns those that were not written because an open transaction has locked their jobs.
 */
export function* writeProgress(dialect: Dialect, entries: readonly ToldProgress[]): Operation<readonly ToldProgress[]> {
  const { ours, busy } = yield* lockRunning(dialect, entries, ({ job }) => job);
  for (const part of chunksOf(ours, ours.length, ({ text }) => text.length)) {
    const fence = fenced(
      dialect,
      part.map(({ job }) => job),
    );
    yield* change(
      `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
       SET progress = CASE id ${part.map(() => 'WHEN ? THEN ?').join(' ')} END WHERE ${fence.sql}`,
      [...part.flatMap(({ job, text }) => [job.id, text]), ...fence.parameters],
    );
  }
  return busy;
}
