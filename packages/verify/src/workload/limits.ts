import type { TableQueue } from '@tablequeue/typeorm';

import { LIMIT, LIMITED_QUEUE, orderedQueue } from './definitions.js';

/** Sets the limits of the queues of a run. */
export async function setLimits(queue: TableQueue, producers: readonly string[]): Promise<void> {
  await queue.control.limit(LIMITED_QUEUE, { concurrency: LIMIT });
  for (const producer of producers) {
    await queue.control.limit(orderedQueue(producer), { concurrency: 1 });
  }
}
