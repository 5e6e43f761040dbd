import type { TableQueue } from '@tablequeue/typeorm';
import { readStats } from '@tablequeue/typeorm/internal';

import type { Output } from '../terminal/output.js';

/**
 * Prints a note if no job, worker or schedule uses the name: a queue needs no row to exist, so it may be a typing
 * error.
 */
export async function noteUnknownQueue({ engine }: TableQueue, name: string, output: Output): Promise<void> {
  const { queues, workers, schedules } = await readStats(engine, { failedWithin: 0, limit: 1 });
  const known = new Set([
    ...queues.map(({ queue }) => queue),
    ...workers.flatMap((worker) => worker.queues),
    ...schedules.map(({ queue }) => queue),
  ]);
  if (!known.has(name)) {
    const others = known.size > 0 ? ` Queues in use: ${[...known].sort().join(', ')}.` : '';
    output.note(`Note: no job, worker or schedule uses the queue "${name}" at present.${others}`);
  }
}
