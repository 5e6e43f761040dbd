import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns milliseconds of a clock that all processes of a machine share and that cannot be set. It orders what
 * different processes record, even if the date of one is wrong. `performance.now()` starts at 0 in each process.
 */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Waits for some ms, or until the signal is aborted. It never throws, so that a fault can always heal what it did. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

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
