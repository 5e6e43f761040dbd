import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TableQueueJob, eventHandler } from '@tablequeue/typeorm';
import { TestingQueue } from '@tablequeue/typeorm/testing';

import { describeEach } from '../support/each-engine.js';
import { paid } from '../support/events.js';
import { useWorkbench } from '../support/use-workbench.js';

describeEach('published events in a drain', (engine) => {
  const bench = useWorkbench(engine);
  const seen: string[] = [];
  let testing: TestingQueue;
  beforeEach(() => {
    seen.length = 0;
    const handlers = [
      eventHandler(paid, { subscription: 'mailing' }, ({ order }) => void seen.push(`mail ${order}`)),
      eventHandler(paid, { subscription: 'books', queue: 'books', transactional: true }, async ({ order }, job) => {
        await job.manager.query('SELECT 1');
        seen.push(`book ${order}`);
      }),
    ];
    testing = new TestingQueue(bench.queue, handlers, { logger: bench.logger });
  });
  afterEach(() => testing.stopInline());

  test('run through to their subscriptions', async () => {
    await bench.queue.publish(paid, { order: 1 });
    const drained = await testing.drain();
    expect(seen.toSorted()).toEqual(['book 1', 'mail 1']);
    expect(drained.map(({ name }) => name)).toEqual(['order.paid', expect.any(String), expect.any(String)]);
    expect(await bench.isEmpty()).toBe(true);
  });

  test('run through in the transaction of a test, and a rollback undoes it', async () => {
    const queryRunner = bench.dataSource.createQueryRunner();
    await queryRunner.startTransaction();
    await bench.queue.publish(paid, { order: 2 }, { queryRunner });
    await testing.drain({ queryRunner });
    expect(seen.toSorted()).toEqual(['book 2', 'mail 2']);
    await queryRunner.rollbackTransaction();
    await queryRunner.release();
    expect(await bench.rows(TableQueueJob)).toEqual([]);
    expect((await bench.queue.subscriptions.list()).subscriptions).toEqual([]);
  });

  test('run inline', async () => {
    testing.runInline();
    await bench.queue.publish(paid, { order: 3 });
    expect(seen.toSorted()).toEqual(['book 3', 'mail 3']);
  });
});
