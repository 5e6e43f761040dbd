import type { TableQueue } from '@tablequeue/typeorm';

import { LIMIT, LIMITED_QUEUE, RATE, TENANT_RATE, orderedQueue, ratedJob, tenantJob } from './definitions.js';

/** Sets the limits of the queues of a run. */
export async function setLimits(queue: TableQueue, producers: readonly string[]): Promise<void> {
  await queue.control.limit(LIMITED_QUEUE, { concurrency: LIMIT });
  await queue.control.limit(ratedJob.queue, { rate: RATE });
  await queue.control.limit(tenantJob.queue, { ratePerTenant: TENANT_RATE });
  for (const producer of producers) {
    await queue.control.limit(orderedQueue(producer), { concurrency: 1 });
  }
}
