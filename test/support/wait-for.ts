import { setTimeout as sleep } from 'node:timers/promises';

/** In ms. */
const SHORTEST = 5;
const LONGEST = 50;

/**
 * Waits until a condition holds. It checks often at first, and less often the longer it waits: many conditions are
 * queries, and hundreds of them a second would slow down what the test waits for.
 */
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
    const waited = performance.now() - since;
    if (waited > patience) {
      throw new Error(`Waited ${patience} ms in vain: ${what}`);
    }
    await sleep(Math.min(Math.max(waited / 20, SHORTEST), LONGEST));
  }
}
