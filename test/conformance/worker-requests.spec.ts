import { expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  type TableQueue,
  type TableQueueWorker,
  UnknownWorkerError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const long = defineJob('long');
const computing = defineJob('computing');
const by = { by: 'ada' };

describeEach('requests to a worker', (engine) => {
  const bench = useWorkbench(engine);

  const idOf = (worker: TableQueueWorker) => worker['liveness'].lease.owner;
  /** It reads the request at once, and not after a third of its lease. */
  const renew = (worker: TableQueueWorker) => worker['liveness'].lease.onLockChanged();
  const only = async () => {
    const [found, ...others] = await bench.queue.activity.workers();
    expect(others).toEqual([]);
    return found!;
  };
  const audit = async () =>
    (await bench.queue.activity.audit()).entries
      .map(({ who, action, target, changed, skipped }) => [who, action, target, changed, skipped])
      .toReversed();

  test('a quiet worker finishes its jobs and claims no others, until it is resumed', async () => {
    const { runs, handler } = heldHandler(long);
    const worker = await bench.work([handler]);
    const id = idOf(worker);
    const first = await bench.queue.enqueue(long);
    await waitFor('it runs', () => runs.length === 1);
    await bench.queue.control.quietWorker(id, by);
    await bench.queue.control.quietWorker(id, { by: 'bob' });
    renew(worker);
    await waitFor('its row shows that', async () => (await only()).state === 'quiet');
    expect(worker.isQuiet).toBe(true);
    const quiet = await only();
    expect(quiet).toMatchObject({ id, request: { action: 'quiet', by: 'ada', at: expect.any(Date) } });

    await bench.queue.enqueue(long);
    runs[0]!.end();
    await bench.untilJobIs(first.id, 'succeeded');
    renew(worker);
    await waitFor('it has renewed its lease since', async () => (await only()).seenAt > quiet.seenAt);
    expect(runs).toHaveLength(1);

    await bench.queue.control.resumeWorker(id, by);
    renew(worker);
    await waitFor('the other job runs', () => runs.length === 2);
    expect((await only()).request).toBeUndefined();
    runs[1]!.end();
    const target = `worker ${id}`;
    expect(await audit()).toEqual([
      ['ada', 'quiet', target, 1, 0],
      ['bob', 'quiet', target, 0, 1],
      ['ada', 'resume', target, 1, 0],
    ]);
  });

  test('a worker that is asked to stop finishes its jobs and ends; the next one works', async () => {
    const { runs, handler } = heldHandler(long);
    const worker = await bench.work([handler]);
    const id = idOf(worker);
    const job = await bench.queue.enqueue(long);
    await waitFor('it runs', () => runs.length === 1);
    await bench.queue.control.stopWorker(id, by);
    renew(worker);
    await worker.stopRequested;
    await waitFor('its row shows that', async () => (await only()).state === 'stopping');
    await bench.queue.control.resumeWorker(id);
    runs[0]!.end();
    await worker.stop();
    expect(await bench.untilJobIs(job.id, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(bench.logger.lines).toContain('warn The worker stops as requested by "ada". Its process goes on.');
    expect(await bench.queue.activity.workers()).toEqual([]);
    await expect(bench.queue.control.stopWorker(id, by)).rejects.toThrow(UnknownWorkerError);
    expect(await audit()).toEqual([['ada', 'stop', `worker ${id}`, 1, 0]]);

    await bench.work([handler]);
    expect(await only()).toMatchObject({ state: 'working', request: undefined });
    await expect(bench.queue.control.quietWorker(id)).rejects.toThrow(UnknownWorkerError);
    for (const wrong of [0, 1.5, 2 ** 32, 'one' as never]) {
      await expect(bench.queue.control.quietWorker(wrong)).rejects.toThrow(InvalidOptionError);
    }
  });

  test('a worker that loses its lease stays quiet under its new id', async () => {
    const { runs, handler } = heldHandler(long);
    const worker = await bench.work([handler]);
    const id = idOf(worker);
    await bench.queue.control.quietWorker(id, by);
    await bench.dataSource.query('UPDATE tq_worker SET lease_until = 0');
    renew(worker);
    await waitFor('it is registered again', () => ![0, id].includes(idOf(worker)));
    const rows = await bench.queue.activity.workers();
    expect(rows.find((row) => row.id === idOf(worker))).toMatchObject({
      state: 'quiet',
      request: { action: 'quiet', by: 'ada' },
    });
    await expect(bench.queue.control.resumeWorker(id)).rejects.toThrow(UnknownWorkerError);
    await bench.queue.enqueue(long);
    await bench.queue.control.resumeWorker(idOf(worker));
    renew(worker);
    await waitFor('it works', () => runs.length === 1);
    runs[0]!.end();
  });

  test('a renewal reports in one statement, and names a block of the event loop', async () => {
    const handler = jobHandler(computing, () => {
      const until = performance.now() + 1_300;
      while (performance.now() < until);
    });
    const worker = await bench.work([handler], { lease: '3s', codeVersion: '4.2' });
    const { eventLoopDelay, memory, ...registered } = await only();
    expect(registered).toMatchObject({
      codeVersion: '4.2',
      state: 'working',
      request: undefined,
      lastBlock: undefined,
    });
    expect(memory.rss).toBeGreaterThan(memory.heapUsed);
    expect(memory.heapUsed).toBeGreaterThan(1_000_000);
    expect(eventLoopDelay.max).toBeGreaterThanOrEqual(eventLoopDelay.p99);

    const sent = await statementsOf({ engine: worker['engine'] } as TableQueue, async () => {
      renew(worker);
      await waitFor('it has renewed its lease', async () => (await only()).seenAt > registered.seenAt);
    });
    const renewals = sent.filter(({ sql }) => sql.includes('SET seen_at'));
    expect(renewals.length).toBeGreaterThan(0);
    expect(renewals.every(({ sql }) => sql.includes('AND requested ='))).toBe(true);
    expect(sent.filter(({ sql }) => sql.includes('SELECT requested'))).toEqual([]);

    await bench.queue.enqueue(computing);
    // The block may cost the worker its lease. It then reports under a new id.
    const blocked = async () => (await bench.queue.activity.workers()).find(({ lastBlock }) => lastBlock);
    await waitFor('it has reported the block', blocked);
    expect((await blocked())?.lastBlock?.duration).toBeGreaterThanOrEqual(1_100);
    const { problems } = await bench.queue.health();
    expect(problems.find(({ kind }) => kind === 'blocked-workers')).toMatchObject({
      count: 1,
      examples: [expect.stringMatching(new RegExp(`^${process.pid} on `))],
      failsCheck: false,
    });
  });
});
