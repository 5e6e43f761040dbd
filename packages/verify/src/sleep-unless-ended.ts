import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a time, in ms, or until the signal is aborted: what comes behind it, above all healing, comes in any case. */
export async function sleepUnlessEnded(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
