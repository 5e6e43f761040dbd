import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';

import { defineJob } from '../../definition/job-definition.js';
import { tableQueueEntities } from '../../tables/entities.js';
import { EnqueueNotifier } from './enqueue-notifier.js';
import { TableQueue } from '../table-queue.js';

const job = defineJob('job', { queue: 'mail' });

let dataSource: DataSource;
let queue: TableQueue;
let rings: string[];
beforeEach(async () => {
  dataSource = await new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: tableQueueEntities('better-sqlite3'),
    synchronize: true,
  }).initialize();
  queue = new TableQueue(dataSource);
  rings = [];
  EnqueueNotifier.of(dataSource).listen((ring) => rings.push(ring.queue));
});
afterEach(() => dataSource.destroy());

test('rings once for a queue, when the transaction is committed and not before', async () => {
  await dataSource.transaction(async (manager) => {
    await queue.enqueue(job, undefined, { manager });
    await manager.transaction((inner) => queue.enqueue(job, undefined, { manager: inner }));
    expect(rings).toEqual([]);
  });
  expect(rings).toEqual(['mail']);
});

test('does not ring after a rollback, nor for the next transaction', async () => {
  const rolledBack = dataSource.transaction(async (manager) => {
    await queue.enqueue(job, undefined, { manager });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  await dataSource.transaction((manager) => manager.query('SELECT 1'));
  expect(rings).toEqual([]);
});

test('rings for an enqueue outside a transaction when it is stored', async () => {
  const stored = queue.enqueue(job);
  expect(rings).toEqual([]);
  await stored;
  expect(rings).toEqual(['mail']);
});

test('rings no more for who listens no more', async () => {
  const other: string[] = [];
  EnqueueNotifier.of(dataSource).listen((ring) => other.push(ring.queue))();
  await queue.enqueue(job);
  expect(other).toEqual([]);
});
