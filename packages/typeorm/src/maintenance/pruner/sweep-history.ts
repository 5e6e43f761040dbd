import { forEachBatch } from '../../async/batches.js';
import { BEFORE_ALL_IDS } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { type Sweep, findOldChunk, pruneBatch } from '../../store/history/prune-history.js';

const DELETE = { purpose: 'prune the history', atomic: true };
const READ = { purpose: 'find jobs to prune', readOnly: true };

/**
 * Deletes the jobs of a sweep along the history, batch by batch. Each batch commits separately.
 *
 * @param signal stops it between two batches; the next sweep finds the remaining jobs.
 * @returns how many were deleted.
 */
export async function sweepHistory(engine: Engine, sweep: Sweep, signal: AbortSignal | undefined): Promise<number> {
  let deleted = 0;
  await forEachBatch(
    BEFORE_ALL_IDS,
    async (start) => {
      const chunk = await engine.execute((dialect) => findOldChunk(dialect, sweep, start), READ);
      if (chunk && chunk.old > 0) {
        await forEachBatch(
          chunk.after,
          async (after) => {
            const batch = await engine.execute((dialect) => pruneBatch(dialect, sweep, { ...chunk, after }), DELETE);
            deleted += batch.deleted;
            return batch.end;
          },
          signal,
        );
      }
      return chunk?.more ? chunk.last : undefined;
    },
    signal,
  );
  return deleted;
}
