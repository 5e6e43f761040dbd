import { expect, test } from '@jest/globals';
import {
  JobCancelledError,
  JobTimeoutError,
  TableQueue,
  TableQueueWorker,
  batchHandler,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { Note } from '../support/note.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const slow = defineJob('slow', { timeout: '100ms', retry: { attempts: 2, backoff: fixed('1h') } });
const other = defineJob('other');

describeEach('timeouts', (engine) => {
  const bench = useWorkbench(engine);

  test('an attempt that takes too long is aborted and fails at once', async () => {
    const { runs, handler } = heldHandler(slow);
    const retried: unknown[] = [];
    const worker = await bench.work([handler]);
    worker.events.on('retried', (_job, error, delay) => retried.push(error, delay));
    const { id } = await bench.queue.enqueue(slow);
    const job = await bench.untilJobIs(id, 'scheduled');
    expect(job).toMatchObject({ attempt: 1, failures: 1, errors: [{ attempt: 1 }] });
    expect(job.error).toContain('JobTimeoutError: The attempt took longer than its timeout of 100 ms.');
    expect(runs[0]!.job.signal.reason).toBeInstanceOf(JobTimeoutError);
    await waitFor('the event', () => retried.length === 2);
    expect(retried).toEqual([runs[0]!.job.signal.reason, 3_600_000]);
    runs[0]!.end();
  });

  test('a payload that is never read is timed out, and the others of its batch are not', async () => {
    let rest: (() => void) | undefined;
    const schema = z.number().refine((number) => number !== 3 || new Promise<boolean>(() => undefined));
    // The others' time begins when they are handed over, and goes on until the third has failed.
    const batched = defineJob('batched', { timeout: '3s', retry: { attempts: 1 }, schema });
    const unread = defineJob<number>('batched');
    const jobs = await bench.queue.enqueueMany(
      unread,
      [1, 2, 3].map((payload) => ({ payload })),
    );
    const calls: number[][] = [];
    const worker = await bench.work([
      batchHandler(batched, (called) => {
        calls.push(called.map(({ payload }) => payload));
        return new Promise<void>((end) => (rest = end));
      }),
    ]);
    expect((await bench.untilJobIs(jobs[2]!.id, 'failed')).error).toContain('JobTimeoutError');
    await waitFor('the call', () => rest);
    rest!();
    await waitFor('all slots are free', () => worker.activeJobs === 0);
    expect((await bench.finishedJobs()).map(({ state }) => state).sort()).toEqual(['failed', 'succeeded', 'succeeded']);
    expect(calls).toEqual([[1, 2]]);
  });

  test.each([
    ['a late success', true, ({ end }: { end: (result: string) => void }) => end('late')],
    ['a late failure', false, ({ fail }: { fail: (error: Error) => void }) => fail(new Error('late'))],
  ])('%s changes nothing', async (_what, isSuccess, finish) => {
    const { runs, handler } = heldHandler(slow);
    const received: string[] = [];
    const worker = await bench.work([handler]);
    for (const event of ['succeeded', 'failed', 'lost', 'returned'] as const) {
      worker.events.on(event, () => received.push(event));
    }
    const { id } = await bench.queue.enqueue(slow);
    const before = await bench.untilJobIs(id, 'scheduled');
    finish(runs[0]!);
    await waitFor('it has ended', () => worker.activeJobs === 0);
    const isReported = /"slow" succeeded \d+ ms after its timeout/.test(bench.logger.lines.join('\n'));
    expect(isReported).toBe(isSuccess);
    expect(await bench.queue.find(id)).toEqual(before);
    expect(received).toEqual([]);
  });

  test('without a remaining attempt the job fails', async () => {
    const { runs, handler } = heldHandler(defineJob('slow', { timeout: 50, retry: { attempts: 1 } }));
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(slow);
    expect(await bench.untilJobIs(id, 'failed')).toMatchObject({ failures: 1, errors: [{ attempt: 1 }] });
    runs[0]!.end();
  });

  test('a handler that does not end keeps its slot', async () => {
    const { runs, handler } = heldHandler(slow);
    let others = 0;
    await bench.work([handler, jobHandler(other, () => void others++)], { concurrency: 1 });
    const { id } = await bench.queue.enqueue(slow);
    await bench.untilJobIs(id, 'scheduled');
    const next = await bench.queue.enqueue(other);
    // A worker of another process has a free slot and claims it.
    const neighbor = await bench.work([jobHandler(other, () => 'neighbor')], { concurrency: 1 });
    expect(await bench.untilJobIs(next.id, 'succeeded')).toMatchObject({ result: 'neighbor' });
    await neighbor.stop();
    const last = await bench.queue.enqueue(other);
    expect(others).toBe(0);
    runs[0]!.end();
    await bench.untilJobIs(last.id, 'succeeded');
    expect(others).toBe(1);
  });

  test('its process does not run the job again before the handler has ended; another one does', async () => {
    const first = heldHandler(slow);
    const snoozed: number[] = [];
    const worker = await bench.work([first.handler]);
    worker.events.on('snoozed', (_job, delay) => snoozed.push(delay));
    const { id } = await bench.queue.enqueue(slow);
    await bench.untilJobIs(id, 'scheduled');
    bench.clock.advance('1h');
    await waitFor('it is snoozed', () => snoozed.length === 1);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled', attempt: 2, failures: 1 });
    expect(bench.logger.lines.join('\n')).toContain(`Job ${id} (slow) is left to other processes`);

    await worker.stopClaiming();
    bench.clock.advance('10s');
    await bench.work([jobHandler(slow, () => 'elsewhere')]);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 3, result: 'elsewhere' });
    expect(first.runs).toHaveLength(1);
    first.runs[0]!.end();
  });

  test('after the handler has ended its own process runs the job again', async () => {
    const { runs, handler } = heldHandler(slow);
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(slow);
    await bench.untilJobIs(id, 'scheduled');
    runs[0]!.end();
    bench.clock.advance('1h');
    await waitFor('it runs again', () => runs.length === 2);
    runs[1]!.end('in time');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2, failures: 1, result: 'in time' });
  });

  test('a cancelled job whose handler ignores its signal ends as cancelled at its timeout', async () => {
    const patient = defineJob('slow', { timeout: '8s' });
    const { runs, handler } = heldHandler(patient);
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(patient);
    await bench.untilJobIs(id, 'running');
    await bench.queue.cancel(id);
    expect(await bench.untilJobIs(id, 'cancelled')).toMatchObject({ failures: 0, errors: [] });
    expect(runs[0]!.job.signal.reason).toBeInstanceOf(JobCancelledError);
    runs[0]!.end();
  });

  test('the time of a transactional handler begins with its transaction', async () => {
    // One connection, which the first handler has, as on SQLite anyway.
    const dataSource = await bench.database.connect({ poolSize: 1 });
    const inTransaction = defineJob('in-transaction', { timeout: '50ms', retry: { attempts: 1 } });
    const plain = heldHandler(slow);
    let end: (() => void) | undefined;
    const worker = new TableQueueWorker(
      new TableQueue(dataSource),
      [
        transactionalHandler(other, () => new Promise<void>((resolve) => (end = resolve))),
        transactionalHandler(inTransaction, () => 'in time'),
        plain.handler,
      ],
      { maintenance: false, logger: bench.logger, pollInterval: '50ms' },
    );
    await bench.queue.enqueue(other);
    const { id } = await bench.queue.enqueue(inTransaction);
    await bench.queue.enqueue(slow);
    await worker.start();
    await waitFor('the first has started', () => end);
    await waitFor('the time of one that needs no transaction is up', () => plain.runs[0]?.job.signal.aborted);
    end!();
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 1, failures: 0, result: 'in time' });
    plain.runs[0]!.end();
    await worker.stop();
    await dataSource.destroy();
  });

  test('a transactional handler that times out fails, and its writes are rolled back', async () => {
    const inTransaction = defineJob('in-transaction', { timeout: '100ms', retry: { attempts: 1 } });
    await bench.work([
      transactionalHandler(inTransaction, async (_payload, { manager, signal }) => {
        await manager.insert(Note, { id: 1, text: 'late' });
        await new Promise<void>((resolve) => {
          return signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve());
        });
        return 'late';
      }),
    ]);
    const { id } = await bench.queue.enqueue(inTransaction);
    expect(await bench.untilJobIs(id, 'failed')).toMatchObject({ failures: 1, errors: [{ attempt: 1 }] });
    expect(await bench.rows(Note)).toEqual([]);
  });

  test('a job within its time, and one without a timeout, notice nothing', async () => {
    await bench.work([
      jobHandler(defineJob('slow', { timeout: '1h' }), (_payload, { signal }) => signal.aborted),
      jobHandler(other, (_payload, { signal }) => signal.aborted),
    ]);
    const jobs = [await bench.queue.enqueue(slow), await bench.queue.enqueue(other)];
    for (const { id } of jobs) {
      expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: false });
    }
  });
});

test('a timeout is a duration that a timer can count', () => {
  expect(() => defineJob('a', { timeout: 0 })).toThrow(/"timeout" is 0, but must be a duration of at least 1 ms/);
  expect(() => defineJob('a', { timeout: '25d' })).toThrow(/"timeout" is '25d'.*at most 24 days/);
  expect(defineJob('a', { timeout: '1.5s' }).timeout).toBe(1500);
  expect(defineJob('a').timeout).toBeUndefined();
});
