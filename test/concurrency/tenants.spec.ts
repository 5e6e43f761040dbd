import { afterEach, beforeAll, expect, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { spanJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PROCESSES = 4;
const TENANTS = ['a', 'b', 'c', 'd', 'e'];
const JOBS_OF_EACH = 20;
const LIMIT = 2;

/** When a job ran, in the letters of the database's clock. */
interface Span {
  readonly job: number;
  readonly process: number;
  readonly tenant: string;
  readonly began: string;
  readonly ended: string;
}

describeEach(
  `${PROCESSES} processes and ${TENANTS.length} tenants`,
  (engine) => {
    const bench = useWorkbench(engine);
    beforeAll(async () => {
      await bench.dataSource.query(
        'CREATE TABLE span (job INTEGER NOT NULL PRIMARY KEY, process INTEGER NOT NULL, ' +
          'tenant VARCHAR(10) NOT NULL, began DATETIME(6) NOT NULL, ended DATETIME(6))',
      );
    });
    afterEach(() => bench.dataSource.query('DELETE FROM span'));

    /** As many of each tenant, which become ready together. */
    async function enqueueFrom(first: number): Promise<void> {
      await bench.queue.control.pause('span');
      await bench.queue.enqueueMany(
        spanJob,
        TENANTS.flatMap((tenant, index) =>
          Array.from({ length: JOBS_OF_EACH }, (_, each) => ({
            payload: { number: first + index * JOBS_OF_EACH + each, tenant },
          })),
        ),
      );
      await bench.queue.control.resume('span');
    }

    test('no more of a tenant run at any moment than its limit, and each job runs once', async () => {
      await bench.queue.control.limit('span', { concurrencyPerTenant: LIMIT });
      const workers = await Promise.all(
        // Fewer slots than may run at a time, so that none of them can take all.
        Array.from({ length: PROCESSES }, () => bench.startProcess({ concurrency: 3 })),
      );
      let jobs = 0;
      // Jobs that one process ran alone, or one after another, prove nothing about the limit: then there are more.
      const spans = await waitFor(
        'all processes have taken part, and all tenants have reached their limit',
        async () => {
          await enqueueFrom(jobs);
          jobs += TENANTS.length * JOBS_OF_EACH;
          await waitFor('all have run', () => bench.isEmpty(), 60_000);
          const all = (await bench.dataSource.query(
            "SELECT job, process, tenant, DATE_FORMAT(began, '%Y-%m-%d %T.%f') AS began, " +
              "DATE_FORMAT(ended, '%Y-%m-%d %T.%f') AS ended FROM span",
          )) as Span[];
          const haveAllRun = new Set(all.map(({ process }) => process)).size === PROCESSES;
          const most = TENANTS.map((tenant) => mostAtOnce(all.filter((span) => span.tenant === tenant)));
          return haveAllRun && most.every((count) => count >= LIMIT) && all;
        },
        60_000,
      );
      await Promise.all(workers.map(({ child }) => child.end('SIGTERM')));
      // A second run of a job would have failed at the primary key.
      expect(spans).toHaveLength(jobs);
      expect((await bench.finishedJobs()).every(({ attempt, state }) => attempt === 1 && state === 'succeeded')).toBe(
        true,
      );
      for (const tenant of TENANTS) {
        expect(mostAtOnce(spans.filter((span) => span.tenant === tenant))).toBe(LIMIT);
      }
      expect(mostAtOnce(spans)).toBeGreaterThan(LIMIT);
      expect(workers.map(({ child }) => child.output).join('')).toBe('');
    });
  },
  ['mariadb', 'mysql'],
);

/** How many of some runs were under way at one moment. */
function mostAtOnce(spans: readonly Span[]): number {
  const changes = spans.flatMap(({ began, ended }) => [
    { at: ended, by: -1 },
    { at: began, by: 1 },
  ]);
  changes.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.by - b.by));
  let running = 0;
  let most = 0;
  for (const { by } of changes) {
    running += by;
    most = Math.max(most, running);
  }
  return most;
}
