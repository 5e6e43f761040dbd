import { expect, test } from '@jest/globals';
import { transactionalHandler } from '@tablequeue/typeorm';

import type { DyingWorkerConfig } from '../processes/dying-worker.js';
import { ChildProcess } from '../support/child-process.js';
import { describeEach } from '../support/each-engine.js';
import { countJob, effectJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PROCESS = new URL('../dist/processes/dying-worker.js', import.meta.url);
/**
 * BEGIN, a savepoint set and released, two INSERTs of the handler's, those of the job's end, COMMIT, and one more that
 * never comes.
 */
const STATEMENTS = 10;

describeEach('a worker killed at each statement of a transactional handler', (engine) => {
  const bench = useWorkbench(engine);

  test('its effects are there exactly once', async () => {
    // After a statement is the same as before the next one.
    const deaths = [
      { statement: 1, side: 'before' as const, queue: 'before-1' },
      ...Array.from({ length: STATEMENTS }, (_, index) => index + 1).map((statement) => {
        return { statement, side: 'after' as const, queue: `after-${statement}` };
      }),
    ];
    const killed: string[] = [];
    const survived: string[] = [];
    for (const [job, { queue }] of deaths.entries()) {
      await bench.queue.enqueue(effectJob(queue), job);
    }
    // A few at a time: they all start a Node.js process.
    const left = [...deaths];
    const endAll = async () => {
      for (let death = left.shift(); death; death = left.shift()) {
        const config: DyingWorkerConfig = { engine, url: bench.database.url, ...death };
        const child = ChildProcess.start(PROCESS, { CONFIG: JSON.stringify(config) });
        const hasSucceeded = await child.nextMessage().then(
          () => true,
          () => false,
        );
        (hasSucceeded ? survived : killed).push(death.queue);
        await child.end('SIGKILL');
      }
    };
    await Promise.all([endAll(), endAll(), endAll()]);
    // What comes after the COMMIT does not belong to the transaction.
    expect(survived.length).toBeLessThanOrEqual(2);
    expect(killed).toEqual(expect.arrayContaining(['before-1', 'after-1', 'after-5']));

    const handlers = deaths.map(({ queue }) =>
      transactionalHandler(effectJob(queue), async (job, { manager }) => {
        await manager.query('INSERT INTO run (job, process) VALUES (?, ?)', [job, process.pid]);
        await bench.queue.enqueue(countJob, job, { manager, delay: '1h' });
      }),
    );
    const { reaper } = await bench.work(handlers);
    await waitFor('all have ended', async () => {
      await reaper.runOnce();
      return (await bench.countFinished()) === deaths.length;
    });

    const numbers = deaths.map((_death, job) => job);
    const runs = (await bench.dataSource.query('SELECT job FROM run')) as { job: number }[];
    expect(runs.map(({ job }) => job).sort((a, b) => a - b)).toEqual(numbers);
    const followers = (await bench.liveJobs()).map(({ payload }) => Number(payload));
    expect(followers.sort((a, b) => a - b)).toEqual(numbers);
    expect((await bench.finishedJobs()).every(({ state }) => state === 'succeeded')).toBe(true);
  }, 180_000);
});
