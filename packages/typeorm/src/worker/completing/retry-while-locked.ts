import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait, in ms, before what an open transaction of the application's holds up: at first, and at most. */
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 250;

/**
 * Tries again what was held up by an open transaction of the application's, which has locked a job's row or its unique
 * key, until that is over. Nothing waits in the database meanwhile.
 *
 * @param assertMayWait throws where nobody waits any longer.
 */
export async function retryWhileLocked<T>(attempt: () => Promise<T | 'busy'>, assertMayWait: () => void): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    assertMayWait();
    await sleep(pause);
    const answer = await attempt();
    if (answer !== 'busy') {
      return answer;
    }
  }
}
