import { expect, test } from '@jest/globals';
import { JobCancelledError, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import { TableQueueCancellation } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { watchJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const slow = defineJob('slow', { queue: 'slow', retry: { attempts: 3, backoff: fixed('1h') } });
const other = defineJob('other', { queue: 'slow' });

describeEach('cancelling', (engine) => {
  const bench = useWorkbench(engine);

  test('cancelling aborts the signal of a running job, which ends as cancelled when its handler throws', async () => {
    const { runs, handler } = heldHandler(slow);
    const worker = await bench.work([handler]);
    const received: string[] = [];
    worker.events.on('cancelled', ({ id }) => received.push(id));
    const { id } = await bench.queue.enqueue(slow);
    await waitFor('it runs', () => runs.length === 1);
    expect(await bench.queue.cancel(id)).toBe('requested');
    const { signal } = runs[0]!.job;
    await waitFor('it is aborted', () => signal.aborted);
    expect(signal.reason).toBeInstanceOf(JobCancelledError);
    runs[0]!.fail(signal.reason as Error);
    expect(await bench.untilJobIs(id, 'cancelled')).toMatchObject({ attempt: 1, failures: 0 });
    await waitFor('listeners are called', () => received.includes(id));
    expect(bench.logger.lines).toEqual([]);
  });

  test('a running job that ends well all the same has succeeded', async () => {
    const { runs, handler } = heldHandler(slow);
    const worker = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(slow);
    await waitFor('it runs', () => runs.length === 1);
    await bench.queue.cancel(id);
    await waitFor('it is aborted', () => runs[0]!.job.signal.aborted);
    runs[0]!.end('done');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: 'done' });
    expect(await worker.reaper.runOnce()).toMatchObject({ cancelled: 0 });
    expect(await bench.rows(TableQueueCancellation)).toEqual([]);
  });

  test('a worker that stops still aborts cancelled jobs while it waits for them', async () => {
    const { runs, handler } = heldHandler(slow);
    const worker = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(slow);
    await waitFor('it runs', () => runs.length === 1);
    await worker.stopClaiming();
    const stopped = worker.stop();
    await bench.queue.cancel(id);
    await waitFor('it is aborted', () => runs[0]!.job.signal.aborted);
    expect(runs[0]!.job.signal.reason).toBeInstanceOf(JobCancelledError);
    runs[0]!.fail(new Error('aborted'));
    await stopped;
    expect(await bench.queue.find(id)).toMatchObject({ state: 'cancelled' });
  });

  test('a request survives a retry and a worker that returns its job', async () => {
    const { runs, handler } = heldHandler(slow);
    const worker = await bench.work([handler], { shutdownTimeout: 0 });
    const failing = await bench.queue.enqueue(slow);
    const running = await bench.queue.enqueue(slow);
    await waitFor('both run', () => runs.length === 2);
    runs.find(({ job }) => job.id === failing.id)!.fail(new Error('on its own'));
    await bench.untilJobIs(failing.id, 'scheduled');
    // As if it had been asked for while that attempt still ran.
    await bench.dataSource.getRepository(TableQueueCancellation).insert({ jobId: failing.id, requestedAt: 0 });
    await worker.stopClaiming();
    expect(await bench.queue.cancel(running.id)).toBe('requested');
    await worker.stop();
    expect(await bench.queue.find(running.id)).toMatchObject({ state: 'ready' });

    const { reaper } = await bench.work([]);
    expect(await reaper.runOnce()).toMatchObject({ cancelled: 2 });
    for (const { id } of [failing, running]) {
      expect(await bench.queue.find(id)).toMatchObject({ state: 'cancelled' });
    }
    expect(await bench.rows(TableQueueCancellation)).toEqual([]);
  });

  test('a worker that has not read the request yet does not run a cancelled job again', async () => {
    let runs = 0;
    const { id } = await bench.queue.enqueue(slow);
    await bench.dataSource.getRepository(TableQueueCancellation).insert({ jobId: id, requestedAt: 0 });
    await bench.work([jobHandler(slow, () => void runs++)]);
    await bench.untilJobIs(id, 'cancelled');
    expect(runs).toBe(0);
  });

  test('a job that was cancelled while it ran can be run again', async () => {
    const { runs, handler } = heldHandler(slow);
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(slow);
    await waitFor('it runs', () => runs.length === 1);
    await bench.queue.cancel(id);
    await waitFor('it is aborted', () => runs[0]!.job.signal.aborted);
    runs[0]!.fail(new Error('aborted'));
    await bench.untilJobIs(id, 'cancelled');
    // The request is still there: the reaper deletes it later.
    expect(await bench.queue.failed.retry(id)).toBe(true);
    await waitFor('it runs again', () => runs.length === 2);
    runs[1]!.end();
    await bench.untilJobIs(id, 'succeeded');
  });

  test('a request in a transaction is made when that commits', async () => {
    const { runs, handler } = heldHandler(slow);
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(slow);
    await waitFor('it runs', () => runs.length === 1);
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      expect(await bench.queue.cancel(id, { manager })).toBe('requested');
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await bench.rows(TableQueueCancellation)).toEqual([]);
    await bench.dataSource.transaction((manager) => bench.queue.cancel(id, { manager }));
    await waitFor('it is aborted', () => runs[0]!.job.signal.aborted);
    runs[0]!.fail(new Error('gave up'));
    await bench.untilJobIs(id, 'cancelled');
  });

  test('the jobs of a queue are cancelled by name and by age, in any state', async () => {
    const { runs, handler } = heldHandler(slow);
    await bench.queue.enqueue(slow);
    await bench.work([handler], { concurrency: 1 });
    await waitFor('it runs', () => runs.length === 1);
    await bench.queue.enqueueMany(
      slow,
      Array.from({ length: 900 }, (_, index) => (index % 2 === 0 ? {} : { delay: '1h' as const })),
    );
    await bench.queue.enqueue(other);
    await bench.queue.enqueue(defineJob('elsewhere', { queue: 'elsewhere' }));
    expect(await bench.queue.cancelMany({ queue: 'slow', olderThan: '1h' })).toEqual({ cancelled: 0, requested: 0 });
    expect(await bench.queue.cancelMany({ queue: 'slow', only: slow })).toEqual({ cancelled: 900, requested: 1 });
    // Before the worker has a free slot for the last one.
    bench.clock.advance('2h');
    expect(await bench.queue.cancelMany({ queue: 'slow', olderThan: '1h' })).toEqual({ cancelled: 1, requested: 1 });
    await waitFor('it is aborted', () => runs[0]!.job.signal.aborted);
    runs[0]!.fail(new Error('aborted'));
    await waitFor('nothing is left there', async () => (await bench.liveJobs()).length === 1);
    expect((await bench.finishedJobs()).every(({ state }) => state === 'cancelled')).toBe(true);
  });

  test('a job that runs in another process is aborted there', async () => {
    const process = await bench.startProcess();
    const { id } = await bench.queue.enqueue(watchJob, 1);
    await waitFor('it runs', () => process.reported.held === 1);
    expect(await bench.queue.cancel(id)).toBe('requested');
    await bench.untilJobIs(id, 'cancelled');
  });
});
