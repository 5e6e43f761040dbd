import { forEachBatch } from '../../async/batches.js';
import { BEFORE_ALL_IDS } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Engine } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { type OldChunk, type PrunedBatch, type Sweep, findOldChunk } from '../../store/history/prune-history.js';

const DELETE = { purpose: 'prune the history', atomic: true };
const READ = { purpose: 'find jobs to prune', readOnly: true };

export interface Swept {
  /** How many jobs it read. */
  readonly seen: number;
  readonly deleted: number;
  /** How many old jobs were skipped because another transaction is retrying them. */
  readonly missed: number;
}

/**
 * Deletes the jobs of a sweep along the history, batch by batch. Each batch commits separately.
 *
 * @param deleteBatch deletes the first jobs of a chunk.
 * @param signal stops it between two batches; the next sweep finds the remaining jobs.
 */
export async function sweepHistory(
  engine: Engine,
  sweep: Sweep,
  deleteBatch: (dialect: Dialect, sweep: Sweep, chunk: OldChunk) => Operation<PrunedBatch>,
  signal: AbortSignal | undefined,
): Promise<Swept> {
  let seen = 0;
  let deleted = 0;
  let missed = 0;
  await forEachBatch(
    BEFORE_ALL_IDS,
    async (start) => {
      const chunk = await engine.execute((dialect) => findOldChunk(dialect, sweep, start), READ);
      seen += chunk?.seen ?? 0;
      if (chunk && chunk.old > 0) {
        await forEachBatch(
          chunk.after,
          async (after) => {
            const batch = await engine.execute((dialect) => deleteBatch(dialect, sweep, { ...chunk, after }), DELETE);
            deleted += batch.deleted;
            missed += batch.missed;
            return batch.end;
          },
          signal,
        );
      }
      return chunk?.more ? chunk.last : undefined;
    },
    signal,
  );
  return { seen, deleted, missed };
}
