import { repeatUntilDone } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { inKeyOrderOf } from '../../store/base/locks/fence.js';
import { findOverdueSignals, offerSignals } from '../../store/steps/offer-signals.js';

/**
 * Wakes up jobs for signals whose process has died before it did.
 *
 * @param onReady called with each queue in which jobs became ready.
 * @returns how many jobs are ready now.
 */
export async function wakeForSignals(engine: Engine, onReady: (queue: string) => void): Promise<number> {
  const read = { purpose: 'find signals', readOnly: true };
  const write = { purpose: 'wake up jobs for signals', atomic: true };
  let total = 0;
  await repeatUntilDone(async () => {
    const ids = await engine.execute(findOverdueSignals, read);
    if (ids.length === 0) {
      return false;
    }
    const inOrder = inKeyOrderOf(ids, (id) => ({ id }));
    const ready = await engine.execute((dialect) => offerSignals(dialect, inOrder), write);
    new Set(ready.map(({ queue }) => queue)).forEach((queue) => onReady(queue));
    total += ready.length;
    return ids.length === MOST_IDS;
  });
  return total;
}
