import { forEachBatch } from '../../async/batches.js';
import { BEFORE_ALL_IDS } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { clearCancellations } from '../../store/actions/clear-cancellations.js';

/**
 * Cancels jobs whose workers could not, and deletes requests for finished jobs.
 *
 * @returns how many jobs were cancelled.
 */
export async function clearAllCancellations(engine: Engine): Promise<number> {
  const options = { purpose: 'clear cancellations', atomic: true };
  let total = 0;
  await forEachBatch(BEFORE_ALL_IDS, async (after) => {
    const { cancelled, end } = await engine.execute((dialect) => clearCancellations(dialect, after), options);
    total += cancelled;
    return end;
  });
  return total;
}
