import type { TableQueue } from '@tablequeue/typeorm';
import { LIVE_STATES } from '@tablequeue/typeorm/internal';

/** The highest count of a queue and state. */
const MOST = 1_000_000;

/** Counts the unfinished jobs of some queues. Its cost does not grow with the finished ones. */
export async function countUnfinished(queue: TableQueue, isCounted: (name: string) => boolean): Promise<number> {
  const counts = (await queue.counts(MOST)).filter((of) => isCounted(of.queue));
  return counts.flatMap((of) => LIVE_STATES.map((state) => of[state].count)).reduce((sum, count) => sum + count, 0);
}
