import { AsyncLocalStorage } from 'node:async_hooks';

import { expect, test } from '@jest/globals';
import {
  type JobHandler,
  type JobInfo,
  type TableQueueWorker,
  defineJob,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const long = defineJob('long', { queue: 'long' });
const quick = defineJob('quick', { queue: 'quick' });
const other = defineJob('other', { queue: 'other' });
const later = defineJob('later', { queue: 'later', retry: { attempts: 2, backoff: fixed('1h') } });
const forTenant = defineJob('for-tenant', { queue: 'tenants', tenant: () => 'a' });
const chain = defineJob<number>('chain', { queue: 'chain' });

describeEach('events of the queues of a worker', (engine) => {
  const bench = useWorkbench(engine);

  const nothing = jobHandler(quick, () => undefined);

  /** A worker, and the queues it has reported as drained. */
  async function watched(...handlers: JobHandler[]): Promise<{ worker: TableQueueWorker; drained: string[] }> {
    const worker = bench.worker(handlers, { pollInterval: '20ms' });
    const drained: string[] = [];
    worker.events.on('drained', (queue) => drained.push(queue));
    await worker.start();
    return { worker, drained };
  }

  /** Waits for so many polls: a poll is when a worker emits `drained`. */
  async function polls(worker: TableQueueWorker, count = 5): Promise<void> {
    let seen = 0;
    const schedule = worker['claimer']['schedule'] as { onPolled: (since: number, found: boolean) => void };
    const onPolled = schedule.onPolled.bind(schedule);
    schedule.onPolled = (since, found) => {
      seen++;
      onPolled(since, found);
    };
    await waitFor('it has polled', () => seen >= count);
  }

  test('a queue is drained when its jobs have ended: each time once, and only where some were run', async () => {
    const { worker, drained } = await watched(
      nothing,
      jobHandler(other, () => undefined),
    );
    await polls(worker);
    expect(drained).toEqual([]);
    for (const times of [1, 2]) {
      await bench.queue.enqueueMany(quick, [{}, {}, {}]);
      await waitFor('it is drained', () => drained.length === times);
      await polls(worker);
      expect(drained).toEqual(Array.from({ length: times }, () => 'quick'));
    }
  });

  test('not while one of its jobs runs, is paused, or follows another', async () => {
    const { runs, handler } = heldHandler(long);
    const chained = jobHandler(chain, async (left) => {
      if (left > 0) {
        await bench.queue.enqueue(chain, left - 1);
      }
    });
    const { worker, drained } = await watched(handler, chained);
    await bench.queue.enqueue(long);
    await waitFor('it runs', () => runs.length === 1);
    await polls(worker);
    await bench.queue.control.pause('long');
    await bench.queue.enqueue(long);
    runs[0]!.end();
    await polls(worker, 50);
    expect(drained).toEqual([]);
    await bench.queue.control.resume('long');
    await waitFor('it runs', () => runs.length === 2);
    runs[1]!.end();
    await waitFor('it is drained', () => drained.length === 1);

    await bench.queue.enqueue(chain, 20);
    await waitFor('it is drained', () => drained.length === 2);
    expect(drained).toEqual(['long', 'chain']);
    expect(await bench.finishedJobs()).toHaveLength(23);
  });

  test('also of jobs with a tenant, and while others are only scheduled', async () => {
    const failing = jobHandler(later, () => {
      throw new Error('not now');
    });
    const { drained } = await watched(
      jobHandler(forTenant, () => undefined),
      failing,
    );
    await bench.queue.enqueueMany(forTenant, [{}, {}]);
    await waitFor('it is drained', () => drained.join() === 'tenants');
    const { id } = await bench.queue.enqueue(later);
    await waitFor('it is drained', () => drained.join() === 'tenants,later');
    expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled', failures: 1 });
  });

  test('the worker whose reaper frees a job reports it as stalled; its own worker reports it as lost', async () => {
    const first = heldHandler(long);
    const second = heldHandler(long);
    const received: [string, JobInfo][] = [];
    const listening = (worker: TableQueueWorker, name: string) => {
      worker.events.on('stalled', (job) => received.push([`${name} stalled`, job]));
      worker.events.on('lost', (job) => received.push([`${name} lost`, job]));
    };
    const ran = await bench.work([first.handler], { lease: '30s' });
    listening(ran, 'first');
    const { id } = await bench.queue.enqueue(long, undefined, { key: 'order:1', tenant: 'ada' });
    await waitFor('the first worker runs it', () => first.runs.length === 1);
    await ran.stopClaiming();
    bench.clock.advance('31s');
    const heir = await bench.work([second.handler]);
    listening(heir, 'second');
    expect(await heir.reaper.runOnce()).toMatchObject({ returned: 1 });
    await waitFor('the second worker runs it', () => second.runs.length === 1);
    first.runs[0]!.end();
    await waitFor('both are reported', () => received.length === 2);
    const job = { id, name: 'long', queue: 'long', key: 'order:1', tenant: 'ada', attempt: 1, failures: 0 };
    expect(received).toEqual([
      ['second stalled', job],
      ['first lost', expect.objectContaining(job)],
    ]);
    expect(await heir.reaper.runOnce()).toMatchObject({ returned: 0 });
    second.runs[0]!.end();
    await bench.untilJobIs(id, 'succeeded');
    expect(received).toHaveLength(2);
  });

  test('listeners run outside the async context of a handler', async () => {
    const request = new AsyncLocalStorage<string>();
    const worker = bench.worker([jobHandler(quick, () => request.enterWith('of a job'))], { concurrency: 10 });
    const within: (string | undefined)[] = [];
    worker.events.on('succeeded', () => within.push(request.getStore()));
    await bench.queue.enqueueMany(
      quick,
      Array.from({ length: 20 }, () => ({})),
    );
    await worker.start();
    await waitFor('all have ended', () => within.length === 20);
    expect(within.filter((store) => store !== undefined)).toEqual([]);
  });

  test('a listener that throws blocks neither other jobs nor other listeners', async () => {
    const heir = await bench.work([nothing]);
    await heir.stopClaiming();
    await bench.queue.enqueueMany(quick, [{}, {}, {}]);
    await bench.dataSource.query("UPDATE tq_job SET state = 'running', owner = 77, lane = 77, attempt = 1");
    const received: string[] = [];
    heir.events.on('stalled', () => {
      throw new Error('broken listener');
    });
    const asynchronous = async () => {
      throw new Error('broken listener, later');
    };
    // oxlint-disable-next-line typescript/no-misused-promises -- the test does what users do
    heir.events.on('stalled', asynchronous);
    heir.events.on('stalled', ({ name }) => received.push(name));
    expect(await heir.reaper.runOnce()).toMatchObject({ returned: 3 });
    expect(received).toEqual(['quick', 'quick', 'quick']);
    const reports = () => bench.logger.lines.filter((line) => line.includes('A listener of "stalled" failed'));
    await waitFor('each failure is reported', () => reports().length === 6);
  });
});
