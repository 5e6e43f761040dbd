import { forEachBatch } from '../../async/batches.js';
import { BEFORE_ALL_IDS } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Engine } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { type OldChunk, type PrunedBatch, type Sweep, findOldChunk } from '../../store/history/prune-history.js';

const DELETE = { purpose: 'prune the history', atomic: true };
const LOOK = { purpose: 'look for jobs to prune', readOnly: true };

/** What a sweep did. */
export interface Swept {
  /** How many jobs it has looked at. */
  readonly seen: number;
  readonly deleted: number;
  /** How many were to go and did not: somebody else puts them back just now. */
  readonly missed: number;
}

/**
 * Deletes along the history, batch by batch, each committed by itself.
 *
 * @param deleteBatch deletes the first of what is to go in a part.
 * @param signal ends it between two batches; what is left is found again by the next sweep.
 */
export async function sweepHistory(
  engine: Engine,
  sweep: Sweep,
  deleteBatch: (dialect: Dialect, sweep: Sweep, part: OldChunk) => Operation<PrunedBatch>,
  signal: AbortSignal | undefined,
): Promise<Swept> {
  let seen = 0;
  let deleted = 0;
  let missed = 0;
  await forEachBatch(
    BEFORE_ALL_IDS,
    async (place) => {
      const part = await engine.execute((dialect) => findOldChunk(dialect, sweep, place), LOOK);
      seen += part?.seen ?? 0;
      if (part && part.old > 0) {
        await forEachBatch(
          part.after,
          async (after) => {
            const batch = await engine.execute((dialect) => deleteBatch(dialect, sweep, { ...part, after }), DELETE);
            deleted += batch.deleted;
            missed += batch.missed;
            return batch.end;
          },
          signal,
        );
      }
      return part?.more ? part.last : undefined;
    },
    signal,
  );
  return { seen, deleted, missed };
}
