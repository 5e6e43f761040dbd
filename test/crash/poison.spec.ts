import { expect, test } from '@jest/globals';
import { child, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { crashJob, holdJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import type { WorkerProcess } from '../support/worker-process.js';

/** A lease that a busy machine does not lose: that would count as a crash too. */
const LEASE = 5_000;

/** Starts a process, as whatever supervises the application does. */
const startProcess = (bench: ReturnType<typeof useWorkbench>) => bench.startProcess({ lease: LEASE });
const death = (worker: WorkerProcess) => waitFor('it dies', () => worker.child.hasEnded);

describeEach('a job that kills every process that runs it', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  const start = () => startProcess(bench);

  test('is stopped after three of them', async () => {
    const { id } = await bench.queue.enqueue(crashJob, 1);
    for (let crashes = 0; crashes < 3; crashes++) {
      expect(await bench.queue.find(id)).toMatchObject({ attempt: crashes, failures: 0 });
      await death(await start());
    }
    const last = await start();
    const job = await bench.untilJobIs(id, 'failed');
    expect(job).toMatchObject({ attempt: 4, failures: 1, errors: [{ attempt: 4 }] });
    expect(job.error).toContain('JobCrashedTooOftenError');
    expect(last.child.hasEnded).toBe(false);
  });

  test('does not fail the jobs that ran beside it', async () => {
    const beside = (payloads: number[]) =>
      bench.queue.enqueueMany(
        holdJob,
        payloads.map((payload) => ({ payload })),
      );
    const innocent = await beside([1, 2, 3]);
    const poison = await bench.queue.enqueue(crashJob, 4);
    innocent.push(...(await beside([5, 6, 7])));
    await death(await start());
    await death(await start());
    // Now each of them has crashed twice. Held jobs end at once from here on.
    let worker = await start();
    worker.release();
    await waitFor(
      'all have ended',
      async () => {
        if (worker.child.hasEnded) {
          worker = await start();
          worker.release();
        }
        return (await bench.countFinished()) === 7;
      },
      60_000,
    );
    expect(await bench.queue.find(poison.id)).toMatchObject({ state: 'failed' });
    for (const { id } of innocent) {
      expect(await bench.queue.find(id)).toMatchObject({ state: 'succeeded', failures: 0 });
    }
    const runs = (await bench.dataSource.query('SELECT job FROM run')) as { job: number }[];
    expect(runs.map(({ job }) => job).sort((a, b) => a - b)).toEqual([1, 2, 3, 5, 6, 7]);
  });
});

describeEach(
  'a child that kills every process that runs it',
  (engine) => {
    const bench = useWorkbench(engine, { isolation: 'database' });
    const start = () => startProcess(bench);

    test('ends the wait of the durable job whose child it is', async () => {
      const parent = defineJob('parent', { queue: 'parents' });
      await bench.work([
        jobHandler(parent, (_payload, job) => job.runAll('all', [child(crashJob, 1)], { outcomes: true })),
      ]);
      const { id } = await bench.queue.enqueue(parent);
      for (let crashes = 0; crashes < 3; crashes++) {
        await death(await start());
      }
      await start();
      const { result } = await bench.untilJobIs(id, 'succeeded');
      expect(result).toMatchObject([{ state: 'failed', error: expect.stringContaining('JobCrashedTooOftenError') }]);
    });
  },
  // It ends with the statements of every child that has failed.
  ['mariadb'],
);
