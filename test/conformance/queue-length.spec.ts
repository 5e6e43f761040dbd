import { expect, test } from '@jest/globals';
import {
  QueueFullError,
  TableQueue,
  TableQueueJob,
  UnrecoverableJobError,
  child,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import { Scheduler } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { ownStatementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const MAX = 5;
const mail = defineJob<number>('mail', { queue: 'mails' });
const other = defineJob<number>('other', { queue: 'others' });

describeEach('a queue with a maximum length', (engine) => {
  const bench = useWorkbench(engine);
  const limit = (maxLength: number | undefined, queue = bench.queue) =>
    queue.control.limit('mails', maxLength === undefined ? {} : { maxLength });
  const enqueue = (count: number, queue = bench.queue) =>
    queue.enqueueMany(
      mail,
      Array.from({ length: count }, (_, payload) => ({ payload })),
    );
  const stored = () => bench.dataSource.getRepository(TableQueueJob).countBy({ queue: 'mails' });
  /** Tries until a call is not refused: a count is a second old at most. */
  const untilAccepted = <Result>(call: () => Promise<Result>) =>
    waitFor('the call is accepted', () =>
      call().catch((error: unknown) => {
        if (error instanceof QueueFullError) {
          return undefined;
        }
        throw error;
      }),
    );

  test('refuses the enqueue above it, until jobs have left it', async () => {
    await limit(MAX);
    await enqueue(MAX);
    const refused = await bench.queue.enqueue(mail, 1).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(QueueFullError);
    expect(refused).toMatchObject({
      queue: 'mails',
      maxLength: MAX,
      jobs: 1,
      message: expect.stringMatching(/"mails" is full: with 1 more job .* maxLength of 5\..*control\.limit/),
    });
    await bench.queue.enqueue(other, 1);
    const ran: number[] = [];
    await bench.work([jobHandler(mail, (number) => void ran.push(number))]);
    await untilAccepted(() => bench.queue.enqueue(mail, -1));
    await waitFor('all have run', () => ran.includes(-1));
  });

  test('counts ready, scheduled and waiting jobs, and no running or finished ones', async () => {
    await limit(MAX);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await bench.work([jobHandler(mail, () => held)], { concurrency: 2 });
    await enqueue(2);
    await waitFor('both run', async () => (await bench.liveJobs()).every(({ state }) => state === 'running'));
    await untilAccepted(() =>
      bench.queue.enqueueMany(
        mail,
        Array.from({ length: MAX }, () => ({ payload: 0, delay: '1h' as const })),
      ),
    );
    await expect(bench.queue.enqueue(mail, 0)).rejects.toThrow(QueueFullError);
    release();
  });

  test('stores all jobs of a call or none', async () => {
    await limit(MAX);
    await expect(enqueue(MAX + 1)).rejects.toThrow(/with 6 more jobs/);
    await enqueue(MAX - 1);
    await expect(enqueue(2)).rejects.toThrow(QueueFullError);
    const group = {
      jobs: [
        { definition: other, payload: 1 },
        { definition: mail, payload: 1 },
        { definition: mail, payload: 2 },
      ],
      onComplete: { definition: other, payload: 2 },
    };
    await expect(bench.queue.groups.enqueue(group)).rejects.toThrow(QueueFullError);
    expect(await bench.liveJobs()).toHaveLength(MAX - 1);
    await enqueue(1);
    expect(await stored()).toBe(MAX);
  });

  test('applies in the transactions of callers, without another connection', async () => {
    await limit(MAX);
    await bench.dataSource.transaction(async (manager) => {
      await bench.queue.enqueueMany(mail, [{ payload: 1 }, { payload: 2 }, { payload: 3 }], { manager });
      await bench.queue.enqueue(mail, 4, { manager });
      await bench.queue.enqueue(mail, 5, { manager });
      await expect(bench.queue.enqueue(mail, 6, { manager })).rejects.toThrow(QueueFullError);
    });
    expect(await stored()).toBe(MAX);
  });

  test('holds for each process, and simultaneous ones exceed it at most by their free space', async () => {
    await limit(MAX);
    const queues = [1, 2, 3].map(() => new TableQueue(bench.dataSource, { clock: bench.clock }));
    const settled = await Promise.all(
      queues.map((queue) =>
        Promise.allSettled(Array.from({ length: 2 * MAX }, (_, number) => queue.enqueue(mail, number))),
      ),
    );
    const accepted = settled.map((calls) => calls.filter(({ status }) => status === 'fulfilled').length);
    accepted.forEach((count) => expect(count).toBeLessThanOrEqual(MAX));
    expect(await stored()).toBe(accepted.reduce((sum, count) => sum + count));
    expect(await stored()).toBeGreaterThanOrEqual(MAX);
    // The next count sees the jobs of all.
    await waitFor('every process refuses', async () => {
      const results = await Promise.allSettled(queues.map((queue) => queue.enqueue(mail, 0)));
      return results.every(({ status }) => status === 'rejected');
    });
  });

  test('a process that starts later knows it with its first call', async () => {
    await limit(MAX);
    await enqueue(MAX);
    const second = new TableQueue(bench.dataSource, { clock: bench.clock });
    await expect(second.enqueue(mail, 1)).rejects.toThrow(QueueFullError);
    await limit(undefined);
    await bench.queue.enqueue(mail, 1);
  });

  test('a read under way does not undo a maximum that this process has set since', async () => {
    const { queue, release, restore } = await whileReading();
    try {
      await limit(MAX, queue);
    } finally {
      restore();
    }
    release();
    await expect(enqueue(MAX + 1, queue)).rejects.toThrow(QueueFullError);
  });

  test('a process whose first read failed reads again with its next call', async () => {
    await limit(MAX);
    const { queue, release, restore } = await whileReading();
    restore();
    release(new Error('the first read fails'));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(enqueue(MAX + 1, queue)).rejects.toThrow(QueueFullError);
  });

  /** A process that has just read the maxima for the first time, and gets them, or an error, when `release` is called. */
  async function whileReading() {
    const prototype = Object.getPrototypeOf(bench.queue.engine) as { execute: TableQueue['engine']['execute'] };
    const { execute } = prototype;
    let release: (error?: Error) => void = () => undefined;
    const held = new Promise<Error | undefined>((resolve) => (release = resolve));
    let hasRead = false;
    prototype.execute = async function (this: TableQueue['engine'], factory, options) {
      const result = await execute.call(this, factory, options);
      if (options.purpose === 'read the maximum lengths of queues') {
        hasRead = true;
        const error = await held;
        if (error) {
          throw error;
        }
      }
      return result as never;
    };
    const restore = () => (prototype.execute = execute);
    const queue = new TableQueue(bench.dataSource, { clock: bench.clock });
    await waitFor('the maxima are read', () => hasRead);
    return { queue, release, restore };
  }

  test('never refuses retries, schedules, callbacks or children', async () => {
    const failing = defineJob<number>('failing', { queue: 'mails', retry: { attempts: 2, backoff: () => 0 } });
    const parent = defineJob('parent', { queue: 'parents' });
    await bench.queue.groups.enqueue({
      jobs: [{ definition: other, payload: 1 }],
      onComplete: { definition: mail, payload: 10 },
    });
    await bench.queue.recurring.set('mails', mail, 20, { every: '1s' });
    const { id: failed } = await bench.queue.enqueue(failing, 1);
    await limit(1);
    const ran: string[] = [];
    await bench.work([
      jobHandler(other, () => undefined),
      jobHandler(mail, (number) => void ran.push(`mail ${number}`)),
      jobHandler(failing, (_number, { attempt }) => {
        ran.push(`failing ${attempt}`);
        throw attempt === 3 ? new UnrecoverableJobError('enough') : new Error('again');
      }),
      jobHandler(parent, (_payload, job) =>
        job.runAll(
          'children',
          [30, 31, 32].map((number) => child(mail, number)),
        ),
      ),
    ]);
    await bench.untilJobIs(failed, 'failed');
    const { id } = await bench.queue.enqueue(parent);
    await bench.untilJobIs(id, 'succeeded');
    await bench.queue.failed.retry(failed);
    bench.clock.advance('2s');
    await new Scheduler(bench.queue.engine, bench.queue.recurring, bench.logger).runOnce();
    await waitFor(
      'all have run',
      () => ran.includes('failing 3') && ran.includes('mail 10') && ran.includes('mail 20'),
    );
    expect(ran).toEqual(expect.arrayContaining(['mail 30', 'mail 31', 'mail 32', 'failing 1', 'failing 2']));
  });

  test('queues without one cost no statement and no wait', async () => {
    await limit(MAX);
    await bench.queue.enqueue(other, 0);
    const statements = await ownStatementsOf(bench.queue, async () => {
      await bench.queue.enqueue(other, 1);
      await bench.queue.enqueueMany(other, [{ payload: 2 }, { payload: 3 }]);
    });
    expect(statements.map(({ sql }) => sql.trim().split(/\s/)[0])).toEqual(['INSERT', 'INSERT']);
    expect(statements.every(({ sql }) => sql.includes('tq_job'))).toBe(true);
  });

  test('simultaneous calls share a count', async () => {
    await limit(1_000);
    const statements = await ownStatementsOf(bench.queue, () =>
      Promise.all(Array.from({ length: 50 }, (_, number) => bench.queue.enqueue(mail, number))),
    );
    expect(statements.filter(({ sql }) => sql.includes('COUNT'))).toHaveLength(1);
    expect(await stored()).toBe(50);
  });
});
