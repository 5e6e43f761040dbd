import { expect, test } from '@jest/globals';
import { type JobFilter, TableQueueJob, defineJob, jobHandler } from '@tablequeue/typeorm';

import { type Engine, SERVER_ENGINES } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob('mail', { queue: 'mail' });

describeEach('when a job was claimed', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  test('is undefined for a job that was never claimed, also after it is cancelled and retried', async () => {
    const { id } = await bench.queue.enqueue(mail);
    const expectUnclaimed = async (state: JobFilter['state']) => {
      expect(await bench.queue.find(id)).toMatchObject({ state, attempt: 0, claimedAt: undefined });
      const [listed] = (await bench.queue.jobs.list({ state })).jobs;
      expect(listed).toMatchObject({ id, claimedAt: undefined });
    };
    await expectUnclaimed('ready');
    await bench.queue.cancel(id);
    await expectUnclaimed('cancelled');
    await bench.queue.failed.retry(id);
    await expectUnclaimed('ready');
    expect(await bench.dataSource.getRepository(TableQueueJob).findOneByOrFail({ id })).toMatchObject({ claimedAt: 0 });
  });
});

function defineRowSize(engine: Engine): void {
  const bench = useWorkbench(engine, { isolation: 'database' });

  test('keeps its size: the columns that a claim sets have a fixed size and are never null', async () => {
    const { id } = await bench.queue.enqueue(mail);
    const worker = bench.worker([jobHandler(mail, () => undefined)]);
    const statements = await statementsOf({ engine: worker['engine'] } as never, async () => {
      await worker.start();
      await bench.untilJobIs(id, 'succeeded');
    });
    const claim = statements.find(({ sql }) => /UPDATE[^;]*claimed_at = /.test(sql));
    const set = /SET ([\s\S]*?)\s+WHERE/.exec(claim!.sql)![1]!;
    const columns = set.match(/\b\w+(?= = )/g)!;
    expect(columns).toContain('claimed_at');
    const found = await bench.dataSource.query<{ type: string; nullable: string }[]>(
      `SELECT data_type AS type, is_nullable AS nullable FROM information_schema.columns
       WHERE table_schema = DATABASE() AND table_name = 'tq_job' AND column_name IN (?)`,
      [columns],
    );
    expect(found).toHaveLength(columns.length);
    for (const { type, nullable } of found) {
      expect(type).toMatch(/^(enum|int|bigint)$/);
      expect(nullable).toBe('NO');
    }
  });
}

describeEach('the row of a claimed job', defineRowSize, SERVER_ENGINES);
