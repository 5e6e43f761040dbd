import { expect, test } from '@jest/globals';
import { jobHandler } from '@tablequeue/typeorm';
import { TableQueueUnique } from '@tablequeue/typeorm/internal';

import { ChildProcess } from '../support/child-process.js';
import { describeEach } from '../support/each-engine.js';
import { type EnqueuingConfig, type EnqueuingReport, uniqueJob } from '../support/enqueuing.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const ENQUEUER = new URL('../dist/processes/enqueuer.js', import.meta.url);
const PROCESSES = 8;

describeEach('unique jobs of 8 processes', (engine) => {
  const rounds = engine === 'sqlite' ? 20 : 80;
  const bench = useWorkbench(engine);

  async function enqueueInProcesses(keys: number): Promise<EnqueuingReport[]> {
    const config: EnqueuingConfig = { engine, url: bench.database.url, keys, rounds };
    const processes = Array.from({ length: PROCESSES }, () => {
      return ChildProcess.start(ENQUEUER, { CONFIG: JSON.stringify(config) });
    });
    await Promise.all(processes.map((process) => process.nextMessage()));
    return Promise.all(
      processes.map((process) => {
        const report = process.nextMessage();
        process.send('begin');
        return report as Promise<EnqueuingReport>;
      }),
    );
  }

  /** The server's, which are rare: see `take-keys.ts`. */
  const expectFewDeadlocks = (reports: readonly EnqueuingReport[]) => {
    const deadlocks = reports.reduce((sum, report) => sum + report.deadlocks, 0);
    expect(deadlocks).toBeLessThanOrEqual((reports.length * rounds) / 200);
  };

  test('while none is done, each key has one job, and one process has created it', async () => {
    const reports = await enqueueInProcesses(40);
    expect(reports.flatMap(({ errors }) => errors)).toEqual([]);
    expectFewDeadlocks(reports);
    const jobs = await bench.liveJobs();
    const keys = jobs.map(({ payload }) => (JSON.parse(payload!) as { key: number }).key);
    expect(keys).toHaveLength(new Set(keys).size);
    expect(keys.length).toBeGreaterThan(30);
    expect(reports.flatMap(({ created }) => created).sort()).toEqual(jobs.map(({ id }) => id).sort());
    const held = await bench.rows(TableQueueUnique);
    expect(held.map(({ jobId }) => jobId).sort()).toEqual(jobs.map(({ id }) => id).sort());
  }, 120_000);

  test('while they are done, one ends before the next of its key is created, and none is lost', async () => {
    await bench.work([jobHandler(uniqueJob, () => undefined)], { concurrency: 5 });
    const reports: EnqueuingReport[] = [];
    // Too few would prove nothing about letting go of keys beside those who want them: then there are more.
    const done = await waitFor('keys were let go of often enough', async () => {
      reports.push(...(await enqueueInProcesses(5)));
      await waitFor('all are done', () => bench.isEmpty(), 60_000);
      const finished = await bench.finishedJobs();
      return finished.length > 20 && finished;
    });
    expect(reports.flatMap(({ errors }) => errors)).toEqual([]);
    expectFewDeadlocks(reports);
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
    expect(done.map(({ id }) => id).sort()).toEqual(reports.flatMap(({ created }) => created).sort());
    expect(done.every(({ attempt, state }) => attempt === 1 && state === 'succeeded')).toBe(true);
    expect(reports.every(({ clashes }) => clashes > 0)).toBe(true);
    for (const key of [0, 1, 2, 3, 4]) {
      const jobs = done.filter(({ payload }) => (JSON.parse(payload!) as { key: number }).key === key);
      const inTime = jobs.toSorted((a, b) => a.createdAt - b.createdAt || a.finishedAt - b.finishedAt);
      for (const [index, job] of inTime.slice(1).entries()) {
        expect(job.createdAt).toBeGreaterThanOrEqual(inTime[index]!.finishedAt);
      }
    }
  }, 120_000);
});
