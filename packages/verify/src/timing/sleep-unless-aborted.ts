import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for some ms, or until the signal is aborted. It never throws, so that a fault can always heal what it did. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
