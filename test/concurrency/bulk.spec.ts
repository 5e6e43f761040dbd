import { setImmediate } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import { type BulkRequest, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import { Pruner } from '@tablequeue/typeorm/internal';

import { ChildProcess } from '../support/child-process.js';
import { expectConsistent } from '../support/consistent-rows.js';
import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail', retry: { attempts: 1, backoff: fixed(0) } });
const ordered = defineJob('ordered', {
  queue: 'mail',
  order: { by: () => 'a' },
  retry: { attempts: 1, backoff: fixed(0) },
});
const JOBS = 3_000;

describeEach('bulk operations beside other work', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  const enqueue = async (count: number, options: object = {}) => {
    const jobs = await bench.queue.enqueueMany(
      mail,
      Array.from({ length: count }, () => options),
    );
    return jobs.map(({ id }) => id);
  };
  const run = async (request: BulkRequest) => {
    const { id } = await bench.queue.bulk.start(request);
    return bench.queue.bulk.run(id);
  };

  test('a worker finishes the operation of a killed process, and changes each job once', async () => {
    await finishedJobs(bench, mail, JOBS, 'failed');
    const { url } = bench.database;
    const victim = ChildProcess.start(new URL('../dist/processes/retry.js', import.meta.url), {
      CONFIG: JSON.stringify({ engine, url, isBulk: true }),
    });
    await waitFor('it has killed itself', () => victim.hasEnded);
    const [killed] = (await bench.queue.bulk.list()).operations;
    expect(killed).toMatchObject({ state: 'running', total: JOBS });
    expect(killed!.changed).toBeGreaterThan(0);
    expect(await bench.liveJobs()).toHaveLength(killed!.changed);
    // Not handled by this worker: the retried jobs stay as they are.
    await bench.work([jobHandler(defineJob('other'), () => undefined)]);
    bench.clock.advance('10s');
    await waitFor('a worker has finished it', async () => {
      return (await bench.queue.bulk.get(killed!.id))?.state === 'done';
    });
    const done = await bench.queue.bulk.get(killed!.id);
    expect(done).toMatchObject({ changed: JOBS, skipped: 0, total: JOBS });
    const jobs = await bench.liveJobs();
    expect(jobs).toHaveLength(JOBS);
    expectConsistent(jobs);
    const { entries } = await bench.queue.activity.audit();
    expect(entries).toMatchObject([{ id: killed!.id, changed: JOBS, skipped: 0 }]);
  });

  test('a stop ends it between two steps', async () => {
    await enqueue(2_000, { delay: '1h' });
    const { id } = await bench.queue.bulk.start({ action: 'cancel', filter: { state: 'scheduled' } });
    let stopping: Promise<unknown> | undefined;
    const end = await bench.queue.bulk.run(id, {
      onProgress: ({ changed }) => {
        if (changed > 0) {
          stopping ??= bench.queue.bulk.stop(id);
        }
      },
    });
    await stopping;
    expect(end).toMatchObject({ state: 'stopped', total: 2_000 });
    expect(end!.changed).toBeLessThan(2_000);
    await setImmediate();
    expect(await bench.countFinished()).toBe((await bench.queue.bulk.get(id))!.changed);
  });

  test('a retry skips jobs whose unique key another job has', async () => {
    const unique = { key: 'order:1', while: 'unfinished' } as const;
    const [failed] = await enqueue(1, { unique });
    await bench.queue.cancel(failed!);
    await enqueue(1, { unique });
    expect(await run({ action: 'retry', filter: { state: 'cancelled' } })).toMatchObject({ changed: 0, skipped: 1 });
    expect((await bench.queue.find(failed!))?.state).toBe('cancelled');
  });

  test('deleting a failed job that blocks its order lets the next job run', async () => {
    const { id: head } = await bench.queue.enqueue(ordered);
    const { id: next } = await bench.queue.enqueue(ordered);
    const { runs, handler } = heldHandler(ordered);
    await bench.work([handler]);
    await waitFor('the head runs', () => runs.length === 1);
    runs[0]!.fail(new Error('no'));
    await bench.untilJobIs(head, 'failed');
    expect(await run({ action: 'delete', filter: { state: 'failed' } })).toMatchObject({ changed: 1 });
    await waitFor('the next job runs', () => runs.length === 2);
    runs[1]!.end();
    await bench.untilJobIs(next, 'succeeded');
    expect(await bench.queue.find(head)).toBeUndefined();
  });

  test('moved jobs of an order stay in order, whatever the length limit of their new queue', async () => {
    const ids = [(await bench.queue.enqueue(ordered)).id, (await bench.queue.enqueue(ordered)).id];
    await bench.queue.control.limit('other', { maxLength: 1 });
    const moved = defineJob('ordered', { queue: 'other', order: { by: () => 'a' } });
    for (const state of ['waiting', 'ready'] as const) {
      expect(await run({ action: 'move', filter: { state }, to: 'other' })).toMatchObject({ changed: 1 });
    }
    const done: string[] = [];
    await bench.work([jobHandler(moved, (_payload, { id }) => void done.push(id))]);
    await waitFor('both have run', () => done.length === 2);
    expect(done).toEqual(ids);
  });

  test('jobs that workers take meanwhile are skipped', async () => {
    await enqueue(900);
    await bench.work([jobHandler(mail, () => undefined)], { concurrency: 50 });
    const end = await run({ action: 'cancel', filter: { state: 'ready' } });
    await waitFor('all have ended', async () => (await bench.liveJobs()).length === 0);
    expect(end!.changed + end!.skipped).toBe(end!.total);
    const cancelled = (await bench.finishedJobs()).filter(({ state }) => state === 'cancelled');
    expect(cancelled).toHaveLength(end!.changed);
  });

  test('a failed job that is retried and fails again is not touched a second time', async () => {
    await finishedJobs(bench, mail, 2, 'failed');
    const started = await bench.queue.bulk.start({ action: 'delete', filter: { state: 'failed' } });
    bench.clock.advance('1s');
    const [{ jobs }] = [await bench.queue.jobs.list({ state: 'failed' })];
    await bench.queue.failed.retry(jobs[0]!.id);
    await bench.work([
      jobHandler(mail, () => {
        throw new Error('again');
      }),
    ]);
    await bench.untilJobIs(jobs[0]!.id, 'failed');
    expect(await bench.queue.bulk.run(started.id)).toMatchObject({ state: 'done', changed: 1 });
    expect((await bench.queue.find(jobs[0]!.id))?.error).toContain('again');
  });

  test('a queue without jobs is done at once; ended operations are pruned, running ones are not', async () => {
    const done = await run({ action: 'cancel', filter: { state: 'ready', queue: 'gone' } });
    expect(done).toMatchObject({ state: 'done', total: 0, changed: 0, skipped: 0 });
    const running = await bench.queue.bulk.start({ action: 'cancel', filter: { state: 'ready' } });
    await new Pruner(bench.queue.engine).runOnce();
    expect((await bench.queue.bulk.list()).operations).toHaveLength(2);
    bench.clock.advance('91d');
    await new Pruner(bench.queue.engine).runOnce();
    expect((await bench.queue.bulk.list()).operations.map(({ id }) => id)).toEqual([running.id]);
  });
});
