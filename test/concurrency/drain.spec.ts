import { expect, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { countJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PROCESSES = 8;
const JOBS = 6_000;

describeEach(
  '8 worker processes',
  (engine) => {
    const bench = useWorkbench(engine);

    const fill = (count: number, from: number) =>
      bench.queue.enqueueMany(
        countJob,
        Array.from({ length: count }, (_, index) => ({ payload: from + index })),
      );
    const untilEmpty = () => waitFor('the queue is empty', () => bench.isEmpty(), 240_000);

    test(`drain ${JOBS} jobs: each runs exactly once, none is lost`, async () => {
      const workers = await Promise.all(
        Array.from({ length: PROCESSES }, () => bench.startProcess({ concurrency: 25 })),
      );
      let enqueued = 0;
      // One that gets no turn while there are jobs proves nothing about claiming at the same time: then there are more.
      const runs = await waitFor(
        'all processes have taken part',
        async () => {
          await fill(JOBS, enqueued);
          enqueued += JOBS;
          await untilEmpty();
          const [row] = (await bench.dataSource.query(
            'SELECT COUNT(*) AS runs, COUNT(DISTINCT job) AS jobs, COUNT(DISTINCT process) AS processes FROM run',
          )) as Record<string, string>[];
          return Number(row?.processes) === PROCESSES && row;
        },
        240_000,
      );
      await Promise.all(workers.map(({ child }) => child.end('SIGTERM')));

      expect({ runs: Number(runs.runs), jobs: Number(runs.jobs) }).toEqual({ runs: enqueued, jobs: enqueued });
      const outcomes = (await bench.dataSource.query(
        'SELECT state, attempt, COUNT(*) AS jobs FROM tq_job GROUP BY state, attempt',
      )) as { state: string; attempt: number; jobs: string }[];
      expect(outcomes.map((row) => ({ ...row, jobs: Number(row.jobs) }))).toEqual([
        { state: 'succeeded', attempt: 1, jobs: enqueued },
      ]);
      expect(workers.map(({ child }) => child.output).join('')).toBe('');
    }, 300_000);
  },
  ['mariadb', 'mysql'],
);
