import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type JobListOptions, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { costlySteps } from '../support/plans.js';
import { type SentStatement, statementsOf } from '../support/statements.js';
import { Workbench } from '../support/workbench.js';

const mail = defineJob('mail', { queue: 'mail' });
const call = defineJob('call', { queue: 'partner' });

describeEach('how browsing reads', (engine) => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await Workbench.open(engine);
    await finishedJobs(bench, mail, 1_500, 'failed');
    await finishedJobs(bench, call, 1_500, 'succeeded');
    for (const delay of [0, '1h'] as const) {
      const jobs = (tenant?: string) =>
        Array.from({ length: 700 }, () => ({ delay, key: 'k', ...(tenant && { tenant }) }));
      await bench.queue.enqueueMany(mail, jobs());
      await bench.queue.enqueueMany(call, jobs('acme'));
    }
    await bench.work([jobHandler(call, () => new Promise(() => undefined))], { shutdownTimeout: 0 });
    await bench.dataSource.query(
      engine === 'sqlite' ? 'ANALYZE' : 'ANALYZE TABLE tq_job, tq_history, tq_failure, tq_key',
    );
  });
  afterAll(() => bench.close());

  const last = new Date(Date.now() + 30 * 24 * 3_600_000);
  const filters: Omit<JobListOptions, 'state'>[] = [
    {},
    { queue: 'mail' },
    { queue: 'mail', name: 'mail' },
    { tenant: 'acme' },
    { queue: 'partner', tenant: 'acme' },
    { key: 'k' },
    { errorIncludes: 'failed' },
    { from: new Date(1), before: last },
    { queue: 'mail', from: new Date(1), before: last, errorIncludes: 'x' },
  ];

  const expectCheap = async (filter: object, statements: readonly SentStatement[]) => {
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      const steps = await costlySteps(bench.dataSource, statement);
      expect({ filter, sql: steps.length > 0 && statement.sql, steps }).toEqual({ filter, sql: false, steps: [] });
    }
  };

  test.each(['scheduled', 'ready', 'running', 'failed', 'succeeded', 'cancelled'] as const)(
    '%s jobs are never sorted, and no table is read whole',
    async (state) => {
      for (const filter of filters) {
        const statements = await statementsOf(bench.queue, async () => {
          const { next } = await bench.queue.jobs.list({ state, ...filter, limit: 50 });
          await (next && bench.queue.jobs.list({ state, ...filter, limit: 50, after: next }));
        });
        await expectCheap(filter, statements);
      }
    },
  );

  test('nor are they where those of a key are counted', async () => {
    for (const filter of [{}, { queue: 'mail' }, { name: 'call', tenant: 'acme' }]) {
      await expectCheap(filter, await statementsOf(bench.queue, () => bench.queue.jobs.countByKey('k', filter)));
    }
  });
});
