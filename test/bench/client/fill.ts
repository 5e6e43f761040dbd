import type { Subject } from '../subject.js';
import { payloads } from './payloads.js';

/** How many jobs are handed over at a time. */
const CHUNK = 20_000;

/** Fills an empty queue, and leaves it as a server has it that was not filled this very moment. */
export async function fill(subject: Subject, jobs: number): Promise<void> {
  await subject.reset();
  for (let stored = 0; stored < jobs; stored += CHUNK) {
    await subject.enqueueMany(payloads(Math.min(CHUNK, jobs - stored)));
  }
  await subject.settle?.();
}
