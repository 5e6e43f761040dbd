import { executeRead, findRecentThroughput } from '@tablequeue/typeorm/internal';

import type { QueueRow } from '../contract/index.js';
import type { Database } from '../databases/database.registry.js';
import type { QueueRows } from './queue-rows.js';

const MINUTE = 60_000;
const MINUTES = 60;

type Sparks = ReadonlyMap<string, readonly number[]>;

/** Returns the rows of some queues with their finished jobs by minute, which are read only for these queues. */
export async function withSparks(database: Database, rows: QueueRows, queues: readonly string[]): Promise<QueueRow[]> {
  const { takenAt } = rows;
  const first = takenAt - (takenAt % MINUTE) - (MINUTES - 1) * MINUTE;
  // Sorted, so that pages that show the same queues in another order share the read.
  const names = queues.toSorted();
  const sparks = await database.reads.getOrRead(['sparks', takenAt, names], () => readSparks(database, first, names));
  return queues.map((queue) => ({ ...rows.row(queue), spark: sparks.get(queue) ?? [] }));
}

async function readSparks({ queue }: Database, first: number, names: readonly string[]): Promise<Sparks> {
  const finished = await executeRead(queue.engine, 'read the recent throughput', (dialect) =>
    findRecentThroughput(dialect, first, names),
  );
  const sparks = new Map(names.map((name) => [name, Array<number>(MINUTES).fill(0)]));
  for (const { queue: name, at, finished: jobs } of finished) {
    const minute = (at - first) / MINUTE;
    const spark = sparks.get(name);
    // The next minute may have started since the rows were read.
    if (spark && minute < MINUTES) {
      spark[minute] = jobs;
    }
  }
  return sparks;
}
