import { forEachBatch } from '../../async/batches.js';
import { BEFORE_ALL_IDS } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { inKeyOrderOf } from '../../store/base/locks/fence.js';
import { findNewSignals, offerSignals } from '../../store/steps/offer-signals.js';

/**
 * Wakes up jobs for signals whose process has died before it did.
 *
 * @param onReady called with each queue in which jobs became ready.
 * @param isEachOverdue false for all new signals: no other process can wake up their jobs.
 * @returns how many jobs are ready now.
 */
export async function wakeForSignals(
  engine: Engine,
  onReady: (queue: string) => void,
  isEachOverdue = true,
): Promise<number> {
  const read = { purpose: 'find signals', readOnly: true };
  const write = { purpose: 'wake up jobs for signals', atomic: true };
  let total = 0;
  await forEachBatch(BEFORE_ALL_IDS, async (after) => {
    const ids = await engine.execute((dialect) => findNewSignals(dialect, after, isEachOverdue), read);
    if (ids.length === 0) {
      return undefined;
    }
    const inOrder = inKeyOrderOf(ids, (id) => ({ id }));
    const { ready } = await engine.execute((dialect) => offerSignals(dialect, inOrder), write);
    new Set(ready.map(({ queue }) => queue)).forEach((queue) => onReady(queue));
    total += ready.length;
    // A job that is locked must not hide those after it.
    return ids.length === MOST_IDS ? ids.at(-1) : undefined;
  });
  return total;
}
