import { describe, expect, test } from '@jest/globals';

import { strategiesOf } from '../support/claim-strategies.js';
import { describeEach } from '../support/each-engine.js';
import { countJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PROCESSES = 2;
const JOBS = 400;

describeEach('actions by hand beside claims', (engine) => {
  const bench = useWorkbench(engine);

  describe.each(engine === 'sqlite' ? ([undefined] as const) : strategiesOf(engine))('by %s', (claimStrategy) => {
    test('each job runs once, after any changes of its priority and any number of calls to run it now', async () => {
      const options = { concurrency: 10, ...(claimStrategy && { claimStrategy }) };
      const processes = await Promise.all(Array.from({ length: PROCESSES }, () => bench.startProcess(options)));
      let stored = 0;
      const store = async () => {
        await bench.queue.enqueueMany(
          countJob,
          Array.from({ length: JOBS }, (_, index) => ({
            payload: stored + index,
            ...(index % 2 === 1 && { delay: '1h' as const }),
          })),
        );
        stored += JOBS;
      };
      const queue = 'default';
      const actions = { ran: 0, moved: 0 };
      const isEmpty = () => bench.isEmpty();
      // Again, where workers were faster than the process that changes priorities.
      for (let turn = 0; !(await isEmpty()) || actions.moved === 0; turn++) {
        if (await isEmpty()) {
          await store();
        }
        const [mine, theirs, moved] = await Promise.all([
          bench.queue.jobs.runNow({ state: 'scheduled', queue }),
          bench.queue.jobs.runNow({ state: 'scheduled', queue }),
          bench.queue.jobs.changePriority({ state: 'ready', queue }, turn % 7),
        ]);
        actions.ran += mine.changed + theirs.changed;
        actions.moved += moved.changed;
      }
      await waitFor('all are stored', async () => (await bench.countFinished()) === stored);
      await Promise.all(processes.map(({ child }) => child.end('SIGTERM')));
      const runs = (await bench.dataSource.query('SELECT job FROM run')) as { job: number }[];
      expect(runs).toHaveLength(stored);
      expect(new Set(runs.map(({ job }) => job)).size).toBe(stored);
      expect((await bench.finishedJobs()).every(({ attempt, state }) => attempt === 1 && state === 'succeeded')).toBe(
        true,
      );
      expect(actions.ran).toBe(stored / 2);
    });
  });
});
