import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';

import { defineJob } from '../../definition/define-job.js';
import { tableQueueEntities } from '../../tables/entities.js';
import { EnqueueNotifier } from './enqueue-notifier.js';
import { TableQueue } from '../table-queue.js';

const job = defineJob('job', { queue: 'mail' });

let dataSource: DataSource;
let queue: TableQueue;
let notices: string[];
beforeEach(async () => {
  dataSource = await new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: tableQueueEntities('better-sqlite3'),
    synchronize: true,
  }).initialize();
  queue = new TableQueue(dataSource);
  notices = [];
  EnqueueNotifier.of(dataSource).listen(({ queue: name }) => notices.push(name));
});
afterEach(() => dataSource.destroy());

test('notifies once for a queue, after the commit and not before', async () => {
  await dataSource.transaction(async (manager) => {
    await queue.enqueue(job, undefined, { manager });
    await manager.transaction((inner) => queue.enqueue(job, undefined, { manager: inner }));
    expect(notices).toEqual([]);
  });
  expect(notices).toEqual(['mail']);
});

test('does not notify after a rollback, nor for the next transaction', async () => {
  const rolledBack = dataSource.transaction(async (manager) => {
    await queue.enqueue(job, undefined, { manager });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  await dataSource.transaction((manager) => manager.query('SELECT 1'));
  expect(notices).toEqual([]);
});

test('notifies of an enqueue outside a transaction when it is stored', async () => {
  const stored = queue.enqueue(job);
  expect(notices).toEqual([]);
  await stored;
  expect(notices).toEqual(['mail']);
});

test('does not call a listener that was removed', async () => {
  const other: string[] = [];
  EnqueueNotifier.of(dataSource).listen(({ queue: name }) => other.push(name))();
  await queue.enqueue(job);
  expect(other).toEqual([]);
});
