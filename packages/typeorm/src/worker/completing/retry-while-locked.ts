import { setTimeout as sleep } from 'node:timers/promises';

/** The pause between two tries, in ms: the first and the longest. */
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 250;

/**
 * Retries while an open transaction of the application has locked a job's row or its unique key. No statement waits in
 * the database meanwhile.
 *
 * @param assertMayWait throws to give up.
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
