import { expect, test } from '@jest/globals';
import { defineJob, fixed, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { expectExisting, indexJob, unfinished } from '../support/unique-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

describeEach('the cost of unique jobs', (engine) => {
  const bench = useWorkbench(engine);

  test('jobs without a unique key never touch its table', async () => {
    const flaky = defineJob('flaky', { retry: { backoff: fixed(0) } });
    await bench.work([
      jobHandler(indexJob, ({ product }) => product || undefined),
      jobHandler(flaky, (_payload, { attempt }) => {
        if (attempt === 1) {
          throw new Error('once');
        }
      }),
    ]);
    await bench.dataSource.query('ALTER TABLE tq_unique RENAME TO away');
    try {
      const { id } = await bench.queue.enqueue(indexJob, { product: 1 }, { delay: '1h' });
      expect(await bench.queue.cancel(id)).toBe('cancelled');
      await bench.queue.enqueueMany(indexJob, [{ payload: { product: 0 } }, { payload: { product: 1 } }]);
      await bench.queue.enqueue(flaky);
      await waitFor('all have ended', () => bench.isEmpty());
      const states = (await bench.finishedJobs()).map(({ state }) => state);
      expect(states.sort()).toEqual(['cancelled', 'succeeded', 'succeeded', 'succeeded']);
    } finally {
      await bench.dataSource.query('ALTER TABLE away RENAME TO tq_unique');
    }
    expect(bench.logger.lines).toEqual([]);
  });

  test('an enqueue for a held key outside a transaction locks and writes nothing', async () => {
    const { id } = await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished });
    await bench.queue.enqueue(indexJob, { product: 1 }, { unique: { key: 'other', period: '1h' } });
    const statements: string[] = [];
    const original = bench.queue.engine.execute.bind(bench.queue.engine);
    bench.queue.engine.execute = (factory, options) => {
      statements.push(options.readOnly ? 'read' : 'write');
      return original(factory, options);
    };
    expectExisting(await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished }), id);
    bench.queue.engine.execute = original;
    expect(statements).toEqual(['read']);
  });
});
