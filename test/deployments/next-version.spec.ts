import { expect, test } from '@jest/globals';
import { TABLES_VERSION, TableQueueJob } from '@tablequeue/typeorm';
import { migrationStatements } from '@tablequeue/typeorm/internal';

import { ChildProcess } from '../support/child-process.js';
import { describeEach } from '../support/each-engine.js';
import { countJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import type { WorkerProcess } from '../support/worker-process.js';

const MIGRATOR = new URL('../dist/processes/migrator.js', import.meta.url);
/** The environment of a process of the later release: see `processes/planted-version.ts`. */
const LATER = { NODE_OPTIONS: `--import ${new URL('../dist/processes/planted-version.js', import.meta.url).href}` };
const JOBS = 100;

describeEach('a later version of the tables', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });
  let enqueued = 0;

  /** Processes of the later release that migrate. */
  async function migrate(many: number, statement?: number): Promise<unknown[]> {
    const { url } = bench.database;
    const all = Array.from({ length: many }, () =>
      ChildProcess.start(MIGRATOR, { CONFIG: JSON.stringify({ engine, url, statement }), ...LATER }),
    );
    await Promise.all(all.map((child) => child.nextMessage()));
    all.forEach((child) => child.send('go'));
    return Promise.all(all.map((child) => (statement ? child.ended().catch(String) : child.nextMessage())));
  }

  /** Enqueues jobs, in transactions and outside of them, as fast as the workers run them. */
  async function enqueueUntil({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      const jobs = Array.from({ length: JOBS }, () => ({ payload: enqueued++ }));
      await bench.queue.enqueueMany(countJob, jobs.slice(1));
      await bench.dataSource.transaction((manager) => bench.queue.enqueue(countJob, jobs[0]!.payload, { manager }));
      await waitFor('the workers keep up', async () => signal.aborted || (await isShort()));
    }
  }

  /** Waits until each of these workers has run more jobs. */
  async function haveRunMore(...workers: readonly WorkerProcess[]): Promise<void> {
    const before = await runsOf();
    await waitFor('each of them has run more', async () => {
      const runs = await runsOf();
      return workers.every(({ child: { pid } }) => (runs.get(pid) ?? 0) > (before.get(pid) ?? 0));
    });
  }

  const isShort = async () =>
    (await bench.dataSource.getRepository(TableQueueJob).countBy({ finishedAt: 0 })) < 2 * JOBS;

  /** How many jobs each process has run. */
  async function runsOf(): Promise<Map<number | undefined, number>> {
    const rows: { process: number; jobs: number | string }[] = await bench.dataSource.query(
      'SELECT process, COUNT(*) AS jobs FROM run GROUP BY process',
    );
    return new Map(rows.map(({ process, jobs }) => [process, Number(jobs)]));
  }

  test('arrives while workers work, and workers of both versions share the tables', async () => {
    const older = await bench.startProcess();
    const end = new AbortController();
    const load = enqueueUntil(end);
    try {
      await haveRunMore(older);
      const runner = bench.dataSource.createQueryRunner();
      const statements = migrationStatements(runner, 'up', {}).length;
      await runner.release();
      expect(await migrate(1, statements + 1)).toEqual([expect.stringContaining('SIGKILL')]);
      await haveRunMore(older);
      const whole = { version: TABLES_VERSION + 1, missing: [] };
      expect(await migrate(2)).toEqual([whole, whole]);
      await haveRunMore(older);
      const newer = await bench.startProcess({}, LATER);
      await haveRunMore(older, newer);
      await older.child.end('SIGTERM');
      await haveRunMore(newer);
    } finally {
      end.abort();
      await load;
    }
    await waitFor('all have run', () => bench.isEmpty());
    const rows: { jobs: number | string; runs: number | string }[] = await bench.dataSource.query(
      'SELECT COUNT(DISTINCT job) AS jobs, COUNT(*) AS runs FROM run',
    );
    expect(rows.map(({ jobs, runs }) => [Number(jobs), Number(runs)])).toEqual([[enqueued, enqueued]]);
    expect(await bench.countFinished()).toBe(enqueued);
  });
});
