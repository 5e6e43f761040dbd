import { expect, test } from '@jest/globals';
import { TransactionEndedError, type TransactionOptions, defineEvent, defineJob } from '@tablequeue/typeorm';
import type { QueryRunner } from 'typeorm';
import { z } from 'zod';

import { describeOnOlderToo } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

/** Waits until the test lets it go on. */
let isValidated: Promise<void>;
let validate: () => void;
const schema = z.number().refine(() => isValidated.then(() => true));

const job = defineJob('job', { schema });
const event = defineEvent('event', { schema });

describeOnOlderToo('a call that waits for its schema', (engine) => {
  // On SQLite all transactions share a query runner.
  const bench = useWorkbench(engine, { isolation: engine === 'sqlite' ? 'database' : 'tables' });

  type Call = (options: TransactionOptions) => Promise<unknown>;
  const CALLS: Readonly<Record<string, Call>> = {
    enqueue: (options) => bench.queue.enqueue(job, 1, options),
    'enqueue of a unique job': (options) => bench.queue.enqueue(job, 1, { ...options, unique: { key: 'k' } }),
    enqueueMany: (options) => bench.queue.enqueueMany(job, [{ payload: 1 }, { payload: 2 }], options),
    publish: (options) => bench.queue.publish(event, 1, options),
    'groups.enqueue': (options) =>
      bench.queue.groups.enqueue(
        { jobs: [{ definition: job, payload: 1 }], onComplete: { definition: job, payload: 1 } },
        options,
      ),
  };

  async function withRunner(use: (queryRunner: QueryRunner) => Promise<void>): Promise<void> {
    const queryRunner = bench.dataSource.createQueryRunner();
    await queryRunner.startTransaction();
    try {
      await use(queryRunner);
    } finally {
      await queryRunner.release();
    }
  }

  /** Begins a call, which waits. Its error counts as handled. */
  function begin(call: Call, queryRunner: QueryRunner): Promise<unknown> {
    isValidated = new Promise((resolve) => (validate = resolve));
    const pending = call({ queryRunner });
    pending.catch(() => undefined);
    return pending;
  }

  test.each(Object.entries(CALLS))('%s stores nothing in a later transaction of its query runner', async (_, call) => {
    for (const end of ['commitTransaction', 'rollbackTransaction'] as const) {
      await withRunner(async (queryRunner) => {
        const pending = begin(call, queryRunner);
        await queryRunner[end]();
        await queryRunner.startTransaction();
        validate();
        await expect(pending).rejects.toThrow(TransactionEndedError);
        await queryRunner.commitTransaction();
      });
    }
    expect(await bench.liveJobs()).toEqual([]);
  });

  test.each(Object.entries(CALLS))('%s stores nothing around a savepoint that was rolled back', async (_, call) => {
    await withRunner(async (queryRunner) => {
      await queryRunner.startTransaction();
      const pending = begin(call, queryRunner);
      await queryRunner.rollbackTransaction();
      validate();
      await expect(pending).rejects.toThrow(TransactionEndedError);
      await queryRunner.commitTransaction();
    });
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('stores its job around a savepoint that was released', async () => {
    await withRunner(async (queryRunner) => {
      await queryRunner.startTransaction();
      const pending = begin(CALLS.enqueue!, queryRunner);
      await queryRunner.commitTransaction();
      validate();
      await pending;
      await queryRunner.commitTransaction();
    });
    expect(await bench.liveJobs()).toMatchObject([{ payload: '1' }]);
  });

  test('stores its job around another savepoint that was rolled back', async () => {
    await withRunner(async (queryRunner) => {
      const pending = begin(CALLS.enqueue!, queryRunner);
      await queryRunner.startTransaction();
      await queryRunner.rollbackTransaction();
      validate();
      await pending;
      await queryRunner.commitTransaction();
    });
    expect(await bench.liveJobs()).toMatchObject([{ payload: '1' }]);
  });

  test('is refused after its query runner was released, and after the transaction has ended', async () => {
    await withRunner(async (queryRunner) => {
      const pending = begin(CALLS.enqueue!, queryRunner);
      await queryRunner.rollbackTransaction();
      await queryRunner.release();
      validate();
      await expect(pending).rejects.toThrow(/The transaction of TypeORM for this call is not open/);
    });
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('stores keys of the same payload as its text, which the caller changes meanwhile', async () => {
    const slow = z.object({ id: z.number() }).refine(() => isValidated.then(() => true));
    const changed = defineJob('changed', {
      schema: slow,
      tenant: ({ id }) => `tenant ${id}`,
      order: { by: ({ id }) => `order ${id}` },
    });
    const payload = { id: 1 };
    const jobs = [{ payload: { id: 1 } }, { payload: { id: 2 } }];
    isValidated = new Promise((resolve) => (validate = resolve));
    const pending = Promise.all([bench.queue.enqueue(changed, payload), bench.queue.enqueueMany(changed, jobs)]);
    [payload, ...jobs.map((each) => each.payload)].forEach((each) => (each.id = 9));
    validate();
    await pending;
    const stored = (await bench.liveJobs()).map(({ payload: text, tenant, orderKey }) =>
      [text, tenant, orderKey].join(),
    );
    expect(stored.sort()).toEqual([1, 1, 2].map((id) => `{"id":${id}},tenant ${id},order ${id}`));
  });
});
