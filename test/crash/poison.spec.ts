import { expect, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { crashJob, holdJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import type { WorkerProcess } from '../support/worker-process.js';

/** A lease that a busy machine does not lose: that would count as a crash too. */
const LEASE = 5_000;

describeEach('a job that kills every process that runs it', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  /** Starts a process, as whatever supervises the application does. */
  const start = () => bench.startProcess({ lease: LEASE });
  const death = (worker: WorkerProcess) => waitFor('it dies', () => worker.child.hasEnded);

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
