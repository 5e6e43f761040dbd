import { expect, test } from '@jest/globals';
import {
  type BatchJob,
  BatchOutcomeError,
  SnoozeJobError,
  UnrecoverableJobError,
  batchHandler,
  defineJob,
  fixed,
} from '@tablequeue/typeorm';
import { Reaper } from '@tablequeue/typeorm/internal';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import { heldBatchHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const sync = defineJob<number>('sync', { retry: { attempts: 3, backoff: fixed('1h') } });
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

describeEach('batch handlers', (engine) => {
  const bench = useWorkbench(engine);

  /** Jobs that one claim brings: they are there before the worker is. @returns their ids. */
  async function enqueue(payloads: readonly number[], definition = sync): Promise<string[]> {
    const jobs = await bench.queue.enqueueMany(
      definition,
      payloads.map((payload) => ({ payload })),
    );
    return jobs.map(({ id }) => id);
  }

  const payloadsOf = (jobs: readonly BatchJob<number>[]) => jobs.map(({ payload }) => payload);
  const statesOf = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await bench.queue.find(id))?.state ?? 'gone'));

  /** Waits until the outcome of each is stored. */
  const untilRun = (ids: readonly string[]) =>
    waitFor('all have run', async () => !(await statesOf(ids)).some((state) => ['ready', 'running'].includes(state)));

  test('a call gets the jobs of a claim in their order, and each has its own outcome', async () => {
    const ids = await enqueue([1, 2, 3, 4]);
    const calls: number[][] = [];
    const received: string[] = [];
    const worker = bench.worker([
      batchHandler(sync, (jobs) => {
        calls.push(payloadsOf(jobs));
        for (const { payload, succeed, fail } of jobs) {
          if (payload === 1) {
            succeed({ remote: 'one' });
          } else if (payload === 2) {
            fail(new Error('two is refused'));
          } else if (payload === 3) {
            fail(new UnrecoverableJobError('three never works'));
          }
        }
      }),
    ]);
    for (const event of ['started', 'succeeded', 'retried', 'failed'] as const) {
      worker.events.on(event, ({ id }: { id: string }) => received.push(`${event} ${ids.indexOf(id) + 1}`));
    }
    await worker.start();
    await waitFor('all are reported', () => received.length === 8);
    expect(calls).toEqual([[1, 2, 3, 4]]);
    const jobs = await Promise.all(ids.map((id) => bench.queue.find(id)));
    expect(jobs).toMatchObject([
      { state: 'succeeded', result: { remote: 'one' } },
      { state: 'scheduled', failures: 1, errors: [{ error: expect.stringContaining('two is refused') }] },
      { state: 'failed', failures: 1, errors: [{ error: expect.stringContaining('three never works') }] },
      { state: 'succeeded', result: undefined },
    ]);
    expect(received.sort()).toEqual(
      [
        'started 1',
        'started 2',
        'started 3',
        'started 4',
        'succeeded 1',
        'succeeded 4',
        'retried 2',
        'failed 3',
      ].sort(),
    );
  });

  test('a call has no more jobs than its size, and than the concurrency', async () => {
    const sizes: number[] = [];
    const handler = (size?: number) =>
      batchHandler(sync, (jobs) => void sizes.push(jobs.length), size === undefined ? {} : { size });
    const ended = (count: number) =>
      waitFor('all have ended', async () => (await bench.countFinished()) === count && sizes.splice(0));
    await enqueue(NUMBERS);
    await bench.work([handler(4)], { concurrency: 10 });
    expect(await ended(10)).toEqual([4, 4, 2]);
    await bench.stopWorkers();
    await enqueue(NUMBERS);
    await bench.work([handler()], { concurrency: 5 });
    expect(await ended(20)).toEqual([5, 5]);
    // Nothing waits for a batch to fill.
    await enqueue([1]);
    expect(await ended(21)).toEqual([1]);
  });

  test('when it throws, the jobs without an outcome fail with its error', async () => {
    const ids = await enqueue([1, 2, 3]);
    await bench.work([
      batchHandler(sync, async (jobs) => {
        jobs[0]!.succeed('before');
        jobs[1]!.fail(new SnoozeJobError('1h'));
        await Promise.reject(new Error('the line is dead'));
      }),
    ]);
    await untilRun(ids);
    const jobs = await Promise.all(ids.map((id) => bench.queue.find(id)));
    expect(jobs).toMatchObject([
      { state: 'succeeded', result: 'before' },
      { state: 'scheduled', failures: 0, errors: [] },
      { state: 'scheduled', failures: 1, errors: [{ error: expect.stringContaining('the line is dead') }] },
    ]);
    bench.clock.advance('1h');
    await waitFor('the others come again', async () => (await bench.queue.find(ids[1]!))?.attempt === 2);
  });

  test('the first outcome stays, and a second one throws', async () => {
    const ids = await enqueue([1, 2, 3]);
    const errors: unknown[] = [];
    let late: BatchJob<number> | undefined;
    await bench.work([
      batchHandler(sync, (jobs) => {
        const [first, second] = jobs;
        late = jobs[2];
        first!.succeed('first');
        second!.fail(new Error('no'));
        for (const again of [() => first!.fail(new Error('second')), () => second!.succeed()]) {
          try {
            again();
          } catch (error) {
            errors.push(error);
          }
        }
      }),
    ]);
    await untilRun(ids);
    expect(await statesOf(ids)).toEqual(['succeeded', 'scheduled', 'succeeded']);
    expect(errors).toEqual([expect.any(BatchOutcomeError), expect.any(BatchOutcomeError)]);
    expect(errors).toMatchObject([
      { id: ids[0], outcome: 'succeeded' },
      { id: ids[1], outcome: 'failed' },
    ]);
    expect(() => late!.fail(new Error('after the call'))).toThrow(BatchOutcomeError);
  });

  test('an outcome is stored at once, and the slot stays in use until the call ends', async () => {
    const ids = await enqueue([1, 2]);
    const { calls, handler, first } = heldBatchHandler(sync);
    const worker = await bench.work([handler], { concurrency: 2 });
    const { jobs, end } = await first();
    jobs[0]!.succeed('early');
    expect(await bench.untilJobIs(ids[0]!, 'succeeded')).toMatchObject({ result: 'early' });
    const [next] = await enqueue([3]);
    // A worker of another process has a free slot and claims it.
    const neighbor = await bench.work([batchHandler(sync, () => undefined)]);
    await bench.untilJobIs(next!, 'succeeded');
    await neighbor.stop();
    expect([worker.activeJobs, calls.length, await statesOf(ids)]).toEqual([2, 1, ['succeeded', 'running']]);
    end();
    await bench.untilJobIs(ids[1]!, 'succeeded');
    await waitFor('both slots are free', () => worker.activeJobs === 0);
    await enqueue([4, 5]);
    expect(payloadsOf((await waitFor('the next call', () => calls[1])).jobs)).toEqual([4, 5]);
    calls[1]!.end();
  });

  test('an invalid payload fails only its own job', async () => {
    const checked = defineJob('sync', { schema: z.number().max(10), retry: { attempts: 3, backoff: fixed('1h') } });
    const ids = await enqueue([1, 99, 3]);
    const calls: number[][] = [];
    await bench.work([batchHandler(checked, (jobs) => void calls.push(payloadsOf(jobs)))]);
    await waitFor('all have ended', async () => (await bench.countFinished()) === 3);
    expect(await statesOf(ids)).toEqual(['succeeded', 'failed', 'succeeded']);
    const [none] = await enqueue([100]);
    expect((await bench.untilJobIs(none!, 'failed')).error).toContain('InvalidPayloadError');
    expect(calls).toEqual([[1, 3]]);
  });

  test('one of the jobs is cancelled, and the others are not', async () => {
    const ids = await enqueue([1, 2]);
    const { handler, first } = heldBatchHandler(sync);
    await bench.work([handler]);
    const { jobs, end } = await first();
    await bench.queue.cancel(ids[0]!);
    await waitFor('it is aborted', () => jobs[0]!.signal.aborted);
    expect(jobs[1]!.signal.aborted).toBe(false);
    jobs[0]!.fail(jobs[0]!.signal.reason);
    end();
    await waitFor('both have ended', async () => (await bench.countFinished()) === 2);
    expect(await statesOf(ids)).toEqual(['cancelled', 'succeeded']);
  });

  test('each job has its own timeout: an outcome in time stays', async () => {
    const timed = defineJob<number>('sync', { timeout: '150ms', retry: { attempts: 1 } });
    const ids = await enqueue([1, 2, 3], timed);
    const { handler, first } = heldBatchHandler(timed);
    const worker = await bench.work([handler]);
    const { jobs, end } = await first();
    jobs[0]!.succeed('in time');
    await waitFor('the time is up', () => jobs[1]!.signal.aborted);
    jobs[1]!.succeed('too late');
    await waitFor('all have ended', async () => (await bench.countFinished()) === 3);
    expect(await statesOf(ids)).toEqual(['succeeded', 'failed', 'failed']);
    expect((await bench.queue.find(ids[1]!))?.error).toContain('JobTimeoutError');
    expect(worker.activeJobs).toBe(3);
    end();
    await waitFor('the slots are free', () => worker.activeJobs === 0);
  });

  test('progress is each job’s own', async () => {
    const ids = await enqueue([1, 2]);
    await bench.work([
      batchHandler(sync, (jobs) => jobs.forEach(({ payload, progress }) => progress(`at ${payload}`))),
    ]);
    await waitFor('both have ended', async () => (await bench.countFinished()) === 2);
    const jobs = await Promise.all(ids.map((id) => bench.queue.find(id)));
    expect(jobs.map((job) => job?.progress)).toEqual(['at 1', 'at 2']);
  });

  test('a worker that stops returns the jobs without an outcome', async () => {
    const ids = await enqueue([1, 2, 3]);
    const { handler, first } = heldBatchHandler(sync);
    const worker = await bench.work([handler], { shutdownTimeout: 0 });
    const { jobs, end } = await first();
    jobs[1]!.succeed('done');
    await bench.untilJobIs(ids[1]!, 'succeeded');
    await worker.stop();
    expect(await statesOf(ids)).toEqual(['ready', 'succeeded', 'ready']);
    expect(await bench.queue.find(ids[0]!)).toMatchObject({ failures: 0, crashes: 0 });
    end();
  });

  test('losing one job does not affect the others', async () => {
    const ids = await enqueue([1, 2]);
    const { handler, first } = heldBatchHandler(sync);
    const worker = await bench.work([handler]);
    const lost: string[] = [];
    worker.events.on('lost', ({ id }) => lost.push(id));
    const { end } = await first();
    await worker.stopClaiming();
    await bench.dataSource.query("UPDATE tq_job SET owner = 0, lane = 0, state = 'ready' WHERE payload = '1'");
    end();
    await waitFor('it is lost', () => lost.length === 1);
    await bench.untilJobIs(ids[1]!, 'succeeded');
    expect([lost, await statesOf(ids)]).toEqual([[ids[0]], ['ready', 'succeeded']]);
  });

  test('a job that must not crash once more comes alone', async () => {
    const [risky] = await enqueue([1]);
    for (let crashes = 1; crashes < sync.retry.crashes; crashes++) {
      await bench.dataSource.query(
        "UPDATE tq_job SET state = 'running', owner = 4242, lane = 4242, attempt = attempt + 1",
      );
      await new Reaper(bench.queue.engine).runOnce();
    }
    expect(await bench.queue.find(risky!)).toMatchObject({ state: 'ready', crashes: sync.retry.crashes - 1 });
    await enqueue([2, 3]);
    const calls: number[][] = [];
    await bench.work([batchHandler(sync, (jobs) => void calls.push(payloadsOf(jobs)))]);
    await waitFor('all have ended', async () => (await bench.countFinished()) === 3);
    expect(calls.sort((a, b) => a.length - b.length)).toEqual([[1], [2, 3]]);
  });
});

test('refuses what is no size', () => {
  const make = (options: object) => () => batchHandler(sync, () => undefined, options);
  expect(make({ size: 0 })).toThrow(/"size" is 0, but must be a whole number from 1 to 800/);
  expect(make({ size: 801 })).toThrow(/"size" is 801/);
  expect(make({ sizes: 3 })).toThrow(/no option "sizes"/);
  expect(() => batchHandler(undefined as unknown as typeof sync, () => undefined)).toThrow(
    /a job definition, as defineJob returns it/,
  );
});
