/** The lowest priority of BullMQ, and of Bull. */
const LOWEST = 2 ** 21;

/** Priorities of Bull up to this one keep their distance. */
const EXACT = 400;

/** How many priorities there are here on each side of 0. */
const MOST = 500;

/**
 * Maps a priority: in both, jobs with a smaller number run first. The order is kept, but from 401 on several priorities
 * of Bull share one.
 *
 * @param isBull4 there, jobs without a priority run after all others; in BullMQ before them.
 */
export function mapPriority(priority: number, isBull4: boolean): number {
  if (priority <= 0) {
    return 0;
  }
  const mapped = priority <= EXACT ? priority : EXACT + Math.ceil((MOST - EXACT) * shareOf(priority));
  return isBull4 ? mapped - MOST - 1 : mapped;
}

/** Whether others share the mapped priority. */
export function isCompressed(priority: number): boolean {
  return priority > EXACT;
}

/** How far a priority is from the exact ones to the lowest, 0 to 1. */
function shareOf(priority: number): number {
  return Math.min(1, Math.log2(priority / EXACT) / Math.log2(LOWEST / EXACT));
}
