import type { TableQueue } from '@tablequeue/typeorm';
import { readStats } from '@tablequeue/typeorm/internal';

import type { Output } from '../terminal/output.js';

/** A queue needs no row to exist, so a name that was mistyped is no error; but nobody may know it. */
export async function noteUnknownQueue({ engine }: TableQueue, name: string, output: Output): Promise<void> {
  const { queues, workers, schedules } = await readStats(engine, { failedWithin: 0, limit: 1 });
  const known = new Set([
    ...queues.map(({ queue }) => queue),
    ...workers.flatMap((worker) => worker.queues),
    ...schedules.map(({ queue }) => queue),
  ]);
  if (!known.has(name)) {
    const others = known.size > 0 ? ` There are: ${[...known].sort().join(', ')}.` : '';
    output.note(`Note: there is no job, worker or schedule of a queue "${name}" at present.${others}`);
  }
}
