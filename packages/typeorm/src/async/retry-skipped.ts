import { setTimeout as sleep } from 'node:timers/promises';

/** How often something is tried again that another transaction has locked, and the first delay in ms; it doubles. */
const MOST_RETRIES = 6;
const FIRST_DELAY = 5;

/**
 * Tries again for a third of a second what was skipped, because another transaction has locked it.
 *
 * @param attempt resolves with whether it was skipped.
 */
export async function retrySkipped(attempt: () => Promise<boolean>): Promise<void> {
  for (let retries = 0; (await attempt()) && retries < MOST_RETRIES; retries++) {
    await sleep(FIRST_DELAY * 2 ** retries);
  }
}
