import { repeatUntilDone } from '../../async/batches.js';
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
  await repeatUntilDone(async () => {
    const ids = await engine.execute((dialect) => findNewSignals(dialect, isEachOverdue), read);
    if (ids.length === 0) {
      return false;
    }
    const inOrder = inKeyOrderOf(ids, (id) => ({ id }));
    const { ready, skipped } = await engine.execute((dialect) => offerSignals(dialect, inOrder), write);
    new Set(ready.map(({ queue }) => queue)).forEach((queue) => onReady(queue));
    total += ready.length;
    return ids.length === MOST_IDS && skipped.length < ids.length;
  });
  return total;
}
