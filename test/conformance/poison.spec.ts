import { expect, test } from '@jest/globals';
import { JobCrashedTooOftenError, SnoozeJobError, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import { Reaper } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const risky = defineJob('risky', { retry: { crashes: 3, backoff: fixed('1h') } });

describeEach('jobs whose worker dies', (engine) => {
  const bench = useWorkbench(engine);

  /** As if the worker that runs the waiting jobs had died: they have an owner that has no lease. */
  async function crash(): Promise<void> {
    await bench.dataSource.query(
      "UPDATE tq_job SET state = 'running', owner = 4242, lane = 4242, attempt = attempt + 1, position = 1",
    );
    await new Reaper(bench.queue.engine).runOnce();
  }

  test('it is run again, and has failed when that happened too often in a row', async () => {
    const { id } = await bench.queue.enqueue(risky);
    for (let crashes = 1; crashes <= 3; crashes++) {
      await crash();
      expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', crashes, failures: 0, attempt: crashes });
    }
    let runs = 0;
    const failed: unknown[] = [];
    const worker = bench.worker([jobHandler(risky, () => void runs++)]);
    worker.events.on('failed', (_job, error) => failed.push(error));
    await worker.start();
    const job = await bench.untilJobIs(id, 'failed');
    expect(job).toMatchObject({ attempt: 4, failures: 1, crashes: undefined, errors: [{ attempt: 4 }] });
    expect(job.error).toContain('JobCrashedTooOftenError: The process crashed, or lost its lease, 3 times in a row');
    await waitFor('the event', () => failed.length === 1);
    expect(failed).toEqual([expect.any(JobCrashedTooOftenError)]);
    expect(runs).toBe(0);
  });

  test('one crash less, and it is run', async () => {
    const { id } = await bench.queue.enqueue(risky);
    await crash();
    await crash();
    await bench.work([jobHandler(risky, () => 'alive')]);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 3, failures: 0, result: 'alive' });
  });

  test.each([
    ['fails', () => new Error('broken')],
    ['is snoozed', () => new SnoozeJobError('1h')],
  ])('an attempt that %s ends the row of crashes', async (_what, thrown) => {
    const { id } = await bench.queue.enqueue(risky);
    await crash();
    await bench.work([
      jobHandler(risky, () => {
        throw thrown();
      }),
    ]);
    expect(await bench.untilJobIs(id, 'scheduled')).toMatchObject({ attempt: 2, crashes: 0 });
  });

  test('a returned job has not crashed', async () => {
    const { runs, handler } = heldHandler(risky);
    const { id } = await bench.queue.enqueue(risky);
    const worker = await bench.work([handler], { shutdownTimeout: 0 });
    await waitFor('it runs', () => runs.length === 1);
    await worker.stop();
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', attempt: 1, crashes: 0 });
    runs[0]!.end();
  });

  test('a job without a handler in this process keeps its number of crashes', async () => {
    const { id } = await bench.queue.enqueue(risky);
    await crash();
    await bench.work([jobHandler(defineJob('another'), () => undefined)]);
    expect(await bench.untilJobIs(id, 'scheduled')).toMatchObject({ attempt: 2, crashes: 1 });
  });

  test('jobs that must not crash once more are run one at a time, and the others beside them', async () => {
    const innocent = defineJob('innocent');
    const { runs, handler } = heldHandler(risky);
    const jobs = await bench.queue.enqueueMany(risky, [{}, {}, {}]);
    await crash();
    await crash();
    await bench.work([handler, jobHandler(innocent, () => 'beside')]);
    const beside = await bench.queue.enqueue(innocent);
    for (let turn = 1; turn <= jobs.length; turn++) {
      await waitFor(`run ${turn}`, () => runs.length === turn);
      await waitFor('the others are snoozed', async () => {
        const states = await Promise.all(jobs.map(async ({ id }) => (await bench.queue.find(id))!.state));
        return states.filter((state) => state === 'scheduled').length === jobs.length - turn;
      });
      expect(runs).toHaveLength(turn);
      await bench.untilJobIs(beside.id, 'succeeded');
      runs[turn - 1]!.end();
      await bench.untilJobIs(runs[turn - 1]!.job.id, 'succeeded');
      bench.clock.advance('1s');
    }
    expect((await bench.finishedJobs()).map(({ state }) => state)).toEqual(
      Array.from({ length: 4 }, () => 'succeeded'),
    );
  });
});

test('how many crashes a job may survive is a whole number', () => {
  expect(() => defineJob('a', { retry: { crashes: 0 } })).toThrow(/"retry.crashes" is 0.*from 1 to 1000/);
  expect(defineJob('a').retry.crashes).toBe(3);
});
