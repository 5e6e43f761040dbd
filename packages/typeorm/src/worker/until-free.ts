import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait, in ms, before what an open transaction of the application's holds up: at first, and at most. */
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 250;

/**
 * Ends a job whose unique key is locked by an open transaction of the application's: tries until that is over. Nothing
 * waits in the database meanwhile.
 *
 * @param assertMayWait throws where nobody waits any longer.
 */
export async function untilFree<T>(
  attempt: () => Promise<T>,
  isBusy: (result: T) => boolean,
  assertMayWait: () => void,
): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    const result = await attempt();
    if (!isBusy(result)) {
      return result;
    }
    assertMayWait();
    await sleep(pause);
  }
}
