import { expect } from '@jest/globals';
import { type EnqueuedJob, defineJob, jobHandler } from '@tablequeue/typeorm';

import { heldHandler } from './held-handler.js';
import { waitFor } from './wait-for.js';
import type { Workbench } from './workbench.js';

export interface Index {
  readonly product: number;
  readonly full?: boolean;
}

export const indexJob = defineJob<Index>('index');
export const heldJob = defineJob('held');

/** Unique keys that last until their job is finished, and until it is claimed. */
export const unfinished = { key: 'k' } as const;
export const queued = { key: 'k', while: 'queued' } as const;

export function expectCreated(job: EnqueuedJob): void {
  expect(job).toMatchObject({ created: true, replaced: false });
}

export function expectExisting(job: EnqueuedJob, id: string): void {
  expect(job).toEqual({ id, created: false, replaced: false });
}

/** Enqueues the held job with a unique key and waits until it runs. */
export async function runHeld(bench: Workbench, unique: object) {
  const { runs, handler } = heldHandler(heldJob);
  const worker = await bench.work([handler]);
  const { id } = await bench.queue.enqueue(heldJob, undefined, { unique });
  await waitFor('it runs', () => runs.length === 1);
  return { id, runs, worker, handler };
}

/** Runs everything there is with handlers that do nothing. */
export async function runAll(bench: Workbench): Promise<void> {
  await bench.work([jobHandler(indexJob, () => undefined), jobHandler(heldJob, () => undefined)]);
  await waitFor('all have ended', () => bench.isEmpty());
  await bench.stopWorkers();
}
