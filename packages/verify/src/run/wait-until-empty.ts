import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueueJob } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import type { ResolvedOptions } from '../options.js';

/** How long the number of live jobs may stay the same, without any fault, in ms, plus two leases. */
const STALLED_AFTER = 30_000;

/** Waits until no job is live, or until their number no longer falls. */
export async function waitUntilEmpty(
  dataSource: DataSource,
  { lease, onProgress }: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const jobs = dataSource.getRepository(TableQueueJob);
  let fewest = Infinity;
  let since = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const count = await jobs.count();
    if (count === 0) {
      return;
    }
    if (count < fewest) {
      onProgress(`${count} jobs remaining`);
      [fewest, since] = [count, performance.now()];
    }
    if (performance.now() - since > STALLED_AFTER + 2 * lease) {
      onProgress(`${count} jobs do not end`);
      return;
    }
    await sleep(100);
  }
}
