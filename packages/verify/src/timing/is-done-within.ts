import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for a promise, but not longer than the given ms.
 *
 * @returns whether it was resolved in time.
 * @throws what the promise rejects with, or the reason of `signal`.
 */
export async function isDoneWithin(ms: number, done: Promise<unknown>, signal?: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const late = sleep(ms, false, { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal });
  try {
    return await Promise.race([done.then(() => true), late]);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    over.abort();
  }
}
