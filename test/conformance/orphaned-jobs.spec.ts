import { expect, test } from '@jest/globals';
import { type TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });
const bulk = defineJob<number>('bulk', { keep: 'none' });

/** Lets a worker check for orphaned jobs before each claim. */
function checkAlways(worker: TableQueueWorker): void {
  const { claimer } = worker as unknown as { claimer: { orphans: object } };
  Object.defineProperty(claimer.orphans, 'dueIn', { value: 0 });
}

describeEach('jobs that are marked as running by a worker that does not run them', (engine) => {
  const bench = useWorkbench(engine);

  const rowsOf = (table: string): Promise<Record<string, unknown>[]> =>
    bench.dataSource.query(`SELECT * FROM ${table}`);

  /** Restores the rows of a table, as a server does that has lost the last commits. */
  async function restore(table: string, rows: readonly Record<string, unknown>[]): Promise<void> {
    await bench.dataSource.query(`DELETE FROM ${table}`);
    for (const row of rows) {
      const columns = Object.keys(row);
      await bench.dataSource.query(
        `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
        Object.values(row),
      );
    }
  }

  test('jobs whose outcome the server has lost run again, with their keys, and count no failure', async () => {
    await bench.queue.control.limit('mail', { concurrency: 1 });
    const { runs, handler } = heldHandler(mail);
    const nextRun = () => waitFor('the job runs', () => runs.shift());
    await bench.work([handler], { lease: '1s' });
    const enqueue = () => bench.queue.enqueue(mail, undefined, { unique: { key: 'one' } });
    const { id } = await enqueue();
    const first = await nextRun();
    const before = await Promise.all(['tq_job', 'tq_unique'].map(rowsOf));
    first.end();
    await bench.untilJobIs(id, 'succeeded');
    await Promise.all([restore('tq_job', before[0]!), restore('tq_unique', before[1]!)]);
    const orphanedJobs = async () =>
      (await bench.queue.health()).problems.filter(({ kind }) => kind === 'orphaned-jobs');
    // Between the check that finds it and the one that returns it.
    const [orphaned] = await waitFor('health reports it', async () => {
      const found = await orphanedJobs();
      return found.length > 0 && found;
    });
    expect(orphaned).toMatchObject({ count: 1, since: expect.any(Date) });
    const second = await nextRun();
    await waitFor('health reports it no more', async () => (await orphanedJobs()).length === 0);
    expect((await enqueue()).id).toBe(id);
    second.end();
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2, failures: 0 });
    const next = await enqueue();
    (await nextRun()).end();
    await bench.untilJobIs(next.id, 'succeeded');
    expect(bench.logger.lines).toEqual([expect.stringContaining('1 jobs were marked as running')]);
  });

  test('a check that fails is repeated after a pause, not in a loop', async () => {
    const failedAt: number[] = [];
    const logger = new RecordingLogger();
    logger.error = (message) => void (message.startsWith('A claim failed') && failedAt.push(performance.now()));
    await bench.work([jobHandler(mail, () => undefined)], { lease: '1s', logger });
    await bench.dataSource.query('ALTER TABLE tq_job RENAME TO tq_job_away');
    try {
      await waitFor('five claims have failed', () => failedAt.length >= 5);
    } finally {
      await bench.dataSource.query('ALTER TABLE tq_job_away RENAME TO tq_job');
    }
    // Half a second to a second each, see `PollSchedule`. Without a pause it takes milliseconds.
    expect(failedAt[4]! - failedAt[0]!).toBeGreaterThan(1_500);
    const { id } = await bench.queue.enqueue(mail);
    await bench.untilJobIs(id, 'succeeded');
  });

  test('no job runs twice, however often a worker checks during claims and completions', async () => {
    const runs = new Map<number, number>();
    const worker = await bench.work([
      jobHandler(bulk, async (number) => {
        runs.set(number, (runs.get(number) ?? 0) + 1);
        if (number % 3 === 0) {
          await new Promise((resolve) => setTimeout(resolve, number % 7));
        }
      }),
    ]);
    checkAlways(worker);
    const count = 2_000;
    for (let first = 0; first < count; first += 100) {
      await bench.queue.enqueueMany(
        bulk,
        Array.from({ length: 100 }, (_, index) => ({ payload: first + index })),
      );
    }
    await waitFor('all jobs have run', () => bench.isEmpty());
    expect(runs.size).toBe(count);
    expect([...runs.values()].every((times) => times === 1)).toBe(true);
    expect(bench.logger.lines).toEqual([]);
  });
});
