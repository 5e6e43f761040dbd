import { expect, test } from '@jest/globals';
import { StepLimitError, StepsUnavailableError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const large = defineJob('large');

describeEach('limits of durable jobs', (engine) => {
  const bench = useWorkbench(engine);

  test('a job has at most 32 MiB of results', async () => {
    let steps = 0;
    await bench.work([
      jobHandler(large, async (_payload, { step }) => {
        for (let item = 1; item <= 40; item++) {
          await step(`item ${item}`, () => {
            steps++;
            return 'x'.repeat(1_000_000);
          });
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(large);
    const job = await waitFor('it has failed', async () => {
      const found = await bench.queue.find(id);
      return found?.state === 'failed' && found;
    });
    expect(job.error).toContain('33554432 bytes of results');
    expect(steps).toBe(34);
  });

  test('a job has at most 10,000 steps, and the next one does not run', async () => {
    const { id } = await bench.queue.enqueue(large, undefined, { delay: '1h' });
    const rows = Array.from({ length: 10_000 }, (_, index) => index);
    for (let at = 0; at < rows.length; at += 500) {
      const values = rows.slice(at, at + 500).map((seq) => `('step', 'old ${seq}', 'done', ${seq + 1}, 1, 0)`);
      const columns = 'kind, name, state, seq, attempt, recorded_at';
      await bench.dataSource.query(
        `INSERT INTO tq_step (job_id, ${columns})
         SELECT id, given.* FROM tq_job, (${selectOf(values, columns)}) given WHERE tq_job.name = 'large'`,
      );
    }
    // As a job of a second attempt.
    await bench.dataSource.query("UPDATE tq_job SET attempt = 1 WHERE name = 'large'");
    let hasRun = false;
    await bench.work([
      jobHandler(large, async (_payload, { step }) => {
        expect(await step('old 7', () => 'not called')).toBeUndefined();
        await step('one more', () => (hasRun = true));
      }),
    ]);
    await bench.queue.jobs.runNow(id);
    expect((await bench.untilJobIs(id, 'failed')).error).toContain(StepLimitError.name);
    expect(hasRun).toBe(false);
  });
});

/** A SELECT of rows, with the names of their columns. */
function selectOf(rows: readonly string[], columns: string): string {
  const names = columns.split(', ');
  return rows
    .map((row) => {
      const values = row.slice(1, -1).split(', ');
      return `SELECT ${values.map((value, index) => `${value} AS ${names[index]}`).join(', ')}`;
    })
    .join(' UNION ALL ');
}

describeEach(
  'durable jobs on a server without SKIP LOCKED',
  (engine) => {
    const bench = useWorkbench(engine);

    test('durable calls and signals are refused, and other jobs run', async () => {
      const other = defineJob('other');
      await bench.work([jobHandler(large, (_payload, { sleep }) => sleep('1h')), jobHandler(other, () => 'done')]);
      const { id } = await bench.queue.enqueue(large);
      expect((await bench.untilJobIs(id, 'failed')).error).toContain(StepsUnavailableError.name);
      const plain = await bench.queue.enqueue(other);
      await bench.untilJobIs(plain.id, 'succeeded');
      await expect(bench.queue.signal(plain.id, 'any')).rejects.toThrow(StepsUnavailableError);
    });
  },
  ['mysql56'],
);
