import { setTimeout as sleep } from 'node:timers/promises';

/** The one place where tests wait by the clock: until a condition holds. */
export async function waitFor<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  patience = 20_000,
): Promise<T> {
  const since = performance.now();
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) {
      return value;
    }
    if (performance.now() - since > patience) {
      throw new Error(`Waited ${patience} ms in vain: ${what}`);
    }
    await sleep(5);
  }
}
