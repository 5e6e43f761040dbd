import { expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueWorkerRow } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { holdJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

/** Short, but not so short that a busy machine loses it. */
const LEASE = 5_000;
/** How many leases the job outlives. */
const LEASES = 2;

describeEach('long jobs', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  test('a job that runs for many leases is not taken over while its worker renews', async () => {
    const processes = [await bench.startProcess({ lease: LEASE }), await bench.startProcess({ lease: LEASE })];
    const { id } = await bench.queue.enqueue(holdJob, 1);
    const { claimedAt } = await bench.untilJobIs(id, 'running');
    const longAfter = claimedAt!.getTime() + (LEASES + 1) * LEASE;
    await waitFor(
      'its worker has renewed its lease often',
      async () => {
        const [job] = await bench.liveJobs();
        const worker = (await bench.rows(TableQueueWorkerRow)).find((row) => row.id === job?.owner);
        return worker && worker.leaseUntil > longAfter;
      },
      60_000,
    );
    expect(await bench.queue.find(id)).toMatchObject({ state: 'running', attempt: 1, crashes: 0, claimedAt });
    processes.forEach((each) => each.release());
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 1, failures: 0 });
    expect(await bench.dataSource.query('SELECT job FROM run')).toHaveLength(1);
    expect(processes.map(({ reported }) => `held ${reported.held ?? 0}, lost ${reported.lost ?? 0}`).sort()).toEqual([
      'held 0, lost 0',
      'held 1, lost 0',
    ]);
  });

  test('more slow jobs than slots, in a separate queue, delay no other job', async () => {
    const slow = defineJob('slow', { queue: 'slow' });
    const quick = defineJob<number>('quick');
    const { runs, handler } = heldHandler(slow);
    await bench.work([handler, jobHandler(quick, (number) => number)], { queues: { slow: { concurrency: 2 } } });
    const slowJobs = await bench.queue.enqueueMany(slow, [{}, {}, {}]);
    await waitFor('two run', () => runs.length === 2);
    const quickJobs = await bench.queue.enqueueMany(
      quick,
      Array.from({ length: 50 }, (_, payload) => ({ payload })),
    );
    for (const { id } of quickJobs) {
      await bench.untilJobIs(id, 'succeeded');
    }
    expect(runs).toHaveLength(2);
    runs.forEach(({ end }) => end());
    await waitFor('the third runs', () => runs.length === 3);
    runs[2]!.end();
    for (const { id } of slowJobs) {
      await bench.untilJobIs(id, 'succeeded');
    }
  });
});
