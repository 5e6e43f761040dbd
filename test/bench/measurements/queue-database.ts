import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import type { Engine } from '../../servers/engines.js';
import { connectionOptions } from '../../support/connection-options.js';
import type { Task } from '../client/task.js';
import { recreateTables } from '../recreate-tables.js';

export const numberJob = defineJob<number>('number', { queue: 'numbers' });

/** A queue with empty tables. */
export interface QueueDatabase {
  readonly dataSource: DataSource;
  readonly queue: TableQueue;
}

/** Connects to the database of a task. */
export async function connect({ url, ground }: Task): Promise<QueueDatabase> {
  const dataSource = await new DataSource(connectionOptions(ground as Engine, url)).initialize();
  return { dataSource, queue: new TableQueue(dataSource) };
}

/** The same, and empties the tables. */
export async function connectToEmpty(task: Task): Promise<QueueDatabase> {
  const database = await connect(task);
  await recreateTables(database.dataSource);
  return database;
}

/** Stores jobs whose payloads are numbers, from 0 on. */
export async function storeNumbers(queue: TableQueue, count: number): Promise<void> {
  for (let from = 0; from < count; from += 5_000) {
    await queue.enqueueMany(
      numberJob,
      Array.from({ length: Math.min(5_000, count - from) }, (_, index) => ({ payload: from + index })),
    );
  }
}
