import { expect, test } from '@jest/globals';
import { type JobContext, TableQueue, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const add = defineJob<{ a: number; b: number }>('add');
const flaky = defineJob('flaky', { retry: { attempts: 3, backoff: fixed('1h') } });

describeOnOlderToo('work', (engine) => {
  const bench = useWorkbench(engine);

  test('a job is handled, and keeps its result', async () => {
    await bench.work([jobHandler(add, ({ a, b }) => ({ sum: a + b }))]);
    const { id } = await bench.queue.enqueue(add, { a: 1, b: 2 }, { key: 'sum:1' });
    const job = await bench.untilJobIs(id, 'succeeded');
    expect(job).toMatchObject({ attempt: 1, failures: 0, result: { sum: 3 }, error: undefined, key: 'sum:1' });
    expect(job.finishedAt!.getTime()).toBeGreaterThanOrEqual(job.claimedAt!.getTime());
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('the handler gets all data of its job', async () => {
    const contexts: unknown[] = [];
    await bench.work([jobHandler(add, (payload, job) => void contexts.push(payload, job))]);
    const { id } = await bench.queue.enqueue(add, { a: 1, b: 2 }, { key: 'k', priority: 7 });
    await bench.untilJobIs(id, 'succeeded');
    expect(contexts).toEqual([
      { a: 1, b: 2 },
      {
        id,
        name: 'add',
        queue: 'default',
        key: 'k',
        attempt: 1,
        failures: 0,
      },
    ]);
    const [, context] = contexts as [unknown, JobContext];
    expect(context.createdAt).toEqual(expect.any(Date));
    expect(context.runAt).toEqual(expect.any(Date));
    expect(context.signal.aborted).toBe(false);
  });

  test('jobs run by priority, then in the order they were stored', async () => {
    const order: number[] = [];
    const jobs = [0, 5, -5, 0, 500, -500].map((priority, index) => ({ payload: { a: index, b: 0 }, priority }));
    for (const { payload, priority } of jobs) {
      await bench.queue.enqueue(add, payload, { priority });
    }
    await bench.work([jobHandler(add, ({ a }) => void order.push(a))], { concurrency: 1 });
    await waitFor('all have run', () => order.length === jobs.length);
    expect(order).toEqual([5, 2, 0, 3, 1, 4]);
  });

  test('no more jobs of a queue run at a time than its concurrency allows', async () => {
    const slow = defineJob<number>('slow', { queue: 'slow' });
    const running = { now: 0, most: 0, done: 0 };
    const barrier = waitFor('two run at once', () => running.now === 2 || running.done > 0);
    await bench.queue.enqueueMany(
      slow,
      Array.from({ length: 12 }, (_, payload) => ({ payload })),
    );
    const handler = jobHandler(slow, async () => {
      running.most = Math.max(running.most, ++running.now);
      await barrier;
      await new Promise((resolve) => setImmediate(resolve));
      running.now--;
      running.done++;
    });
    await bench.work([handler], { queues: { slow: { concurrency: 2 } } });
    await waitFor('all have run', () => running.done === 12);
    expect(running.most).toBe(2);
  });

  test('a busy queue does not prevent a worker from polling another one', async () => {
    const busy = defineJob('busy', { queue: 'busy' });
    const quiet = defineJob('quiet', { queue: 'quiet' });
    let quietRuns = 0;
    await bench.work([
      jobHandler(busy, async () => void (quietRuns === 0 && (await bench.queue.enqueue(busy)))),
      jobHandler(quiet, () => void quietRuns++),
    ]);
    await bench.queue.enqueue(busy);
    // By another process, which does not notify this worker.
    const elsewhere = await bench.database.connect();
    await new TableQueue(elsewhere).enqueue(quiet);
    await waitFor('the quiet job has run', () => quietRuns > 0);
    await elsewhere.destroy();
  });

  test('a failed attempt is counted and tried again after its backoff', async () => {
    let runs = 0;
    await bench.work([
      jobHandler(flaky, () => {
        if (++runs < 3) {
          throw new Error(`broken ${runs}`);
        }
        return 'mended';
      }),
    ]);
    const { id } = await bench.queue.enqueue(flaky);
    for (const failures of [1, 2]) {
      const waiting = await waitFor('the retry is stored', async () => {
        const job = await bench.queue.find(id);
        return job?.state === 'scheduled' && job.failures === failures && job;
      });
      expect(waiting.error).toContain(`broken ${failures}`);
      bench.clock.advance('1h');
    }
    const job = await bench.untilJobIs(id, 'succeeded');
    expect(job).toMatchObject({ attempt: 3, failures: 2, result: 'mended' });
  });

  test('a delayed job runs when its time has come, not before', async () => {
    const ran: number[] = [];
    await bench.work([jobHandler(add, ({ a }) => void ran.push(a))]);
    await bench.queue.enqueue(add, { a: 10, b: 0 }, { delay: '10m' });
    await bench.queue.enqueue(add, { a: 9, b: 0 }, { delay: '9m' });
    bench.clock.advance('9m');
    await waitFor('the first is run', () => ran.length === 1);
    const { retrier } = await bench.work([]);
    expect(await retrier.runOnce()).toEqual({ promoted: 0 });
    bench.clock.advance('1m');
    await waitFor('the second is run', () => ran.length === 2);
    expect(ran).toEqual([9, 10]);
  });

  test('an idle worker starts a delayed job of its own process on time, with any poll interval', async () => {
    await bench.work([jobHandler(add, () => 'in time')], { pollInterval: '1h' });
    const { id } = await bench.queue.enqueue(add, { a: 1, b: 1 }, { delay: '30ms' });
    const job = await bench.untilJobIs(id, 'succeeded');
    expect(job.claimedAt!.getTime()).toBeGreaterThanOrEqual(job.runAt.getTime());
  });

  test('a job that sorts before those already claimed is not skipped', async () => {
    await bench.work([jobHandler(add, ({ a }) => a)]);
    const first = await bench.queue.enqueue(add, { a: 1, b: 1 });
    await bench.untilJobIs(first.id, 'succeeded');
    const other = new TableQueue(await bench.database.connect(), { clock: bench.clock });
    for (const place of [{ runAt: new Date(0) }, { priority: -5 }, { priority: -6, runAt: new Date(0) }]) {
      const { id } = await bench.queue.enqueue(add, { a: 2, b: 1 }, place);
      await bench.untilJobIs(id, 'succeeded');
      // Stored by another process: the worker is not notified.
      const { id: untold } = await other.enqueue(add, { a: 3, b: 1 }, place);
      await bench.untilJobIs(untold, 'succeeded');
    }
  });

  test('more due jobs than one statement promotes are all promoted', async () => {
    await bench.queue.enqueueMany(
      add,
      Array.from({ length: 1100 }, (_, a) => ({ payload: { a, b: 0 }, delay: '1m' })),
    );
    const worker = await bench.work([]);
    bench.clock.advance('2m');
    expect(await worker.retrier.runOnce()).toEqual({ promoted: 1100 });
  });

  test('a worker that is never idle claims jobs that another process adds before its backlog', async () => {
    const jobs = 4_000;
    await bench.queue.enqueueMany(
      add,
      Array.from({ length: jobs }, (_, a) => ({ payload: { a, b: 0 } })),
    );
    const other = new TableQueue(await bench.database.connect(), { clock: bench.clock });
    const order: number[] = [];
    await bench.work([jobHandler(add, ({ a }) => void order.push(a))], { concurrency: 1 });
    await waitFor('it works', () => order.length > 10);
    await other.enqueue(add, { a: -1, b: 0 }, { priority: -5 });
    await waitFor('the urgent one is run', () => order.includes(-1));
    expect(order.length).toBeLessThan(jobs);
  });

  test('a cancelled job does not run, by id and by key', async () => {
    const { id } = await bench.queue.enqueue(add, { a: 1, b: 1 }, { delay: '10m' });
    await bench.queue.enqueue(add, { a: 2, b: 1 }, { key: 'order:1' });
    await bench.queue.enqueue(flaky, undefined, { key: 'order:1' });
    await bench.queue.enqueue(add, { a: 3, b: 1 }, { key: 'order:2' });
    expect(await bench.queue.cancel(id)).toBe('cancelled');
    expect(await bench.queue.cancel(id)).toBeUndefined();
    const cancelled = (count: number) => ({ cancelled: count, requested: 0 });
    expect(await bench.queue.cancelByKey('order:1', { only: flaky })).toEqual(cancelled(1));
    expect(await bench.queue.cancelByKey('order:1')).toEqual(cancelled(1));
    expect(await bench.queue.cancelByKey('order:1')).toEqual(cancelled(0));
    expect(await bench.queue.find(id)).toMatchObject({ state: 'cancelled', attempt: 0 });
    expect((await bench.liveJobs()).map(({ key }) => key)).toEqual(['order:2']);
  });

  test('a job without a handler is reported, and run by a process with a handler', async () => {
    const olderProcess = await bench.work([jobHandler(add, () => undefined)]);
    const unknown = defineJob('from.a.newer.version');
    const unhandled: string[] = [];
    olderProcess.events.on('unhandled', (job) => unhandled.push(job.name));
    const { id } = await bench.queue.enqueue(unknown);
    await waitFor('it is reported', () => unhandled.length > 0);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled', failures: 0 });
    expect(bench.logger.lines.join('\n')).toContain('This process has no handler for job "from.a.newer.version"');

    await olderProcess.stop();
    await bench.work([jobHandler(unknown, () => 'handled')]);
    bench.clock.advance('10s');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ failures: 0, result: 'handled' });
  });

  test('an error in a listener touches no job', async () => {
    const worker = await bench.work([jobHandler(add, () => 'fine')]);
    worker.events.on('started', () => {
      throw new Error('listener');
    });
    const asynchronous = async () => {
      throw new Error('asynchronous listener');
    };
    // oxlint-disable-next-line typescript/no-misused-promises -- the test does what users do
    worker.events.on('succeeded', asynchronous);
    const { id } = await bench.queue.enqueue(add, { a: 1, b: 1 });
    await bench.untilJobIs(id, 'succeeded');
    await waitFor('both are reported', () =>
      ['started', 'succeeded'].every((name) =>
        bench.logger.lines.some((line) => line.includes(`A listener of "${name}" failed`)),
      ),
    );
  });
});
