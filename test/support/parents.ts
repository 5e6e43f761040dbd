import { type DurableJobContext, defineJob, jobHandler } from '@tablequeue/typeorm';

import { waitFor } from './wait-for.js';
import type { Workbench } from './workbench.js';

export const parentJob = defineJob<number>('parent', { queue: 'parents', retry: { attempts: 3, backoff: () => 0 } });
export const double = defineJob<number>('double', { queue: 'children', retry: { attempts: 2, backoff: () => 0 } });
export const unkept = defineJob<number>('unkept', { queue: 'children', keep: 'none' });

/** Runs a parent to its end. */
export async function runParent(
  bench: Workbench,
  body: (job: DurableJobContext) => unknown,
  handle: (payload: number) => unknown = (number) => number * 2,
) {
  const worker = await bench.work(
    [jobHandler(parentJob, (_payload, job) => body(job)), jobHandler(double, handle), jobHandler(unkept, handle)],
    { maintenance: { reaper: '100ms' } },
  );
  const { id } = await bench.queue.enqueue(parentJob, 1);
  await waitFor('the parent has ended', async () => {
    const state = (await bench.queue.find(id))?.state;
    return state === 'succeeded' || state === 'failed' || state === 'cancelled';
  });
  await worker.stop();
  return (await bench.queue.find(id))!;
}
