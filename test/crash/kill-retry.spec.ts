import { expect, test } from '@jest/globals';
import { TableQueueJob, defineJob } from '@tablequeue/typeorm';
import { Pruner, TableQueueKey } from '@tablequeue/typeorm/internal';

import { ChildProcess } from '../support/child-process.js';
import { expectConsistent } from '../support/consistent-rows.js';
import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail');
/** More than two transactions of it. */
const JOBS = 3_000;

describeEach('a process that dies while it retries failed jobs', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  test('leaves each of them failed or ready; the rest can be retried, and pruned', async () => {
    const ids = await finishedJobs(bench, mail, JOBS, 'failed');
    const { url } = bench.database;
    const victim = ChildProcess.start(new URL('../dist/processes/retry.js', import.meta.url), {
      CONFIG: JSON.stringify({ engine, url }),
    });
    await waitFor('it has killed itself', () => victim.hasEnded);

    const jobs = await bench.rows(TableQueueJob);
    expect(jobs.map(({ id }) => id).sort()).toEqual(ids);
    expectConsistent(jobs);
    const live = jobs.filter(({ state }) => state === 'ready').length;
    const finished = jobs.filter(({ state }) => state === 'failed').length;
    expect(live + finished).toBe(JOBS);
    expect(live).toBeGreaterThan(0);
    expect(finished).toBeGreaterThan(0);
    expect(await new Pruner(bench.queue.engine, { failed: { count: 100 } }).runOnce()).toEqual({
      deleted: finished - 100,
    });
    expect(await bench.queue.failed.retryMany({})).toEqual({ retried: 100, conflicts: 0 });
    expect(await bench.liveJobs()).toHaveLength(live + 100);
    expect(await bench.rows(TableQueueKey)).toHaveLength(live + 100);
  });
});
