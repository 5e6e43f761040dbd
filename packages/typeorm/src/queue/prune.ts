import { setImmediate } from 'node:timers/promises';

import type { Engine } from '../engine/engine.js';
import { type PruneCursor, type PrunedBatch, pruneBatch, startPruning } from '../store/prune-history.js';

/**
 * Deletes what finished longer ago than an age, in ms: batch by batch, each committed by itself.
 *
 * @returns how many jobs were deleted.
 */
export async function pruneHistory(engine: Engine, age: number): Promise<number> {
  let deleted = 0;
  let cursor: PruneCursor | undefined = await engine.execute((dialect) => startPruning(dialect, age), {
    purpose: 'read the time',
    readOnly: true,
  });
  while (cursor) {
    const from: PruneCursor = cursor;
    const batch: PrunedBatch = await engine.execute((dialect) => pruneBatch(dialect, from), {
      purpose: 'prune the history',
      atomic: true,
    });
    deleted += batch.deleted;
    cursor = batch.next;
    // On SQLite a batch takes no turn of the event loop by itself.
    await setImmediate();
  }
  return deleted;
}
