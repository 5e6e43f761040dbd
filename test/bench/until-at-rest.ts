import { setTimeout as sleep } from 'node:timers/promises';

import { costOf } from './process-cost.js';

/** How much of a core servers with nothing to do use at most, all together. */
const MOST_USED = 0.05;
/** For how long they are looked at, in ms: threads that clean up in the background go by the second. */
const LOOK = 1_000;
/** How long they have to come to rest, in ms. */
const LONGEST = 60_000;

/**
 * Waits until servers have nothing to do: purging what a drain has deleted keeps MariaDB and MySQL busy for seconds,
 * beside whatever is measured next.
 *
 * Writing changed pages to the disk goes on for longer, and takes hardly any CPU time.
 *
 * @returns how long that took, in ms; Infinity where they have not come to rest.
 */
export async function untilAtRest(processIds: readonly (number | undefined)[], look = LOOK): Promise<number> {
  const used = () => processIds.reduce((sum: number, processId) => sum + (costOf(processId)?.cpu ?? 0), 0);
  const since = performance.now();
  let before = used();
  let share = Infinity;
  while (share > MOST_USED && performance.now() - since < LONGEST) {
    await sleep(look);
    const now = used();
    share = (now - before) / look;
    before = now;
  }
  return share > MOST_USED ? Infinity : performance.now() - since;
}
