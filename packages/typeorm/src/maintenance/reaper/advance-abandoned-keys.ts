import { forEachBatch } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import { MOST_IDS, chunksOf } from '../../store/base/chunks.js';
import { FIRST_ORDER_KEY } from '../../store/base/ordered/order-key.js';
import { advanceKeys } from '../../store/ordered/advance-keys.js';
import { findKeysWithoutHead } from '../../store/ordered/find-keys-without-head.js';

/**
 * Advances order keys whose process has died before it did.
 *
 * @param onReady called with each queue in which jobs became ready.
 */
export async function advanceAbandonedKeys(engine: Engine, onReady: (queue: string) => void): Promise<void> {
  const read = { purpose: 'find order keys without a head', readOnly: true };
  const write = { purpose: 'advance order keys', atomic: true };
  // A key that is locked does not hide those after it.
  await forEachBatch(FIRST_ORDER_KEY, async (after) => {
    const { keys, end } = await engine.execute((dialect) => findKeysWithoutHead(dialect, after), read);
    for (const chunk of chunksOf(keys, MOST_IDS)) {
      const { ready } = await engine.execute((dialect) => advanceKeys(dialect, chunk), write);
      new Set(ready.map(({ queue }) => queue)).forEach((queue) => onReady(queue));
    }
    return end;
  });
}
