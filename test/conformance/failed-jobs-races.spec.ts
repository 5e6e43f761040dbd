import { expect, test } from '@jest/globals';
import { TableQueue, TableQueueJob, defineJob, jobHandler } from '@tablequeue/typeorm';
import { Pruner, TableQueueKey } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail', retry: { attempts: 1 } });
const text = defineJob('text', { queue: 'mail', retry: { attempts: 1 } });
const add = defineJob('add');

describeEach('failed jobs that several act on', (engine) => {
  const bench = useWorkbench(engine);

  test('a worker that lost the job before it failed cannot finish the retried one', async () => {
    const [first, second] = [heldHandler(mail), heldHandler(mail)];
    const lost: string[] = [];
    const worker = await bench.work([first.handler]);
    worker.events.on('lost', ({ id }) => lost.push(id));
    const { id } = await bench.queue.enqueue(mail);
    await waitFor('the first runs it', () => first.runs.length === 1);
    await worker.stopClaiming();
    bench.clock.advance('31s');
    const other = await bench.work([second.handler]);
    await other.reaper.runOnce();
    await waitFor('the second runs it', () => second.runs.length === 1);
    await other.stopClaiming();
    second.runs[0]!.fail(new Error('no'));
    await bench.untilJobIs(id, 'failed');
    await bench.queue.failed.retry(id);
    first.runs[0]!.end('from the dead');
    await waitFor('it is reported', () => lost.includes(id));
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', attempt: 2, result: undefined });
  });

  test('two callers and a pruner at the same time: each job is retried or deleted, with its key', async () => {
    await finishedJobs(bench, mail, 1_000, 'failed');
    await finishedJobs(bench, text, 1_000, 'failed');
    const other = new TableQueue(await bench.database.connect(), { clock: bench.clock });
    bench.clock.advance('1s');
    const pruner = new Pruner(bench.queue.engine, { failed: { age: 0 } });
    const [mine, theirs, { deleted }] = await Promise.all([
      bench.queue.failed.retryMany({}),
      other.failed.retryMany({ only: text }),
      pruner.runOnce(),
    ]);
    // What all of them passed over, because another held it and then let it go.
    const rest = await bench.queue.failed.retryMany({});
    const live = await bench.liveJobs();
    expect(live).toHaveLength(mine.retried + theirs.retried + rest.retried);
    expect(live.length + deleted).toBe(2_000);
    expect(await bench.finishedJobs()).toEqual([]);
    const keys = (await bench.rows(TableQueueKey)).map(({ jobId }) => jobId);
    expect(keys.sort()).toEqual(live.map(({ id }) => id).sort());
    await other.dataSource.destroy();
  });
});

describeEach(
  'failed jobs that another transaction has locked',
  (engine) => {
    const bench = useWorkbench(engine);

    test('are skipped by retries and deletions of many jobs', async () => {
      const ids = await finishedJobs(bench, mail, 10, 'failed');
      bench.clock.advance('1s');
      const neighbor = bench.dataSource.createQueryRunner();
      await neighbor.startTransaction();
      expect(await bench.queue.failed.retry(ids[3]!, { queryRunner: neighbor })).toBe(true);
      expect(await bench.queue.failed.retryMany({ finishedBefore: new Date(0) })).toEqual({ retried: 0, conflicts: 0 });
      expect(await new Pruner(bench.queue.engine, { failed: { count: 5 } }).runOnce()).toEqual({ deleted: 4 });
      expect(await bench.queue.failed.retryMany({})).toEqual({ retried: 5, conflicts: 0 });
      await neighbor.rollbackTransaction();
      await neighbor.release();
      expect((await bench.queue.failed.list()).jobs.map(({ id }) => id)).toEqual([ids[3]]);
    });

    test('a long transaction retries jobs as they are now, and does not block completions', async () => {
      const [first, gone, again] = (await finishedJobs(bench, mail, 3, 'failed')) as [string, string, string];
      const aside = { outsideTransaction: true } as const;
      const fail = jobHandler(mail, () => {
        throw new Error('again');
      });
      await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
        expect(await manager.countBy(TableQueueJob, { state: 'failed' })).toBe(3);
        await bench.queue.failed.retry(again, aside);
        await bench.work([fail]);
        await waitFor('it runs again', async () => (await bench.queue.find(again))?.attempt === 4);
        await bench.untilJobIs(again, 'failed');
        await bench.stopWorkers();
        await bench.queue.failed.retry(gone, aside);
        const retried = [];
        for (const id of [first, gone, again]) {
          retried.push(await bench.queue.failed.retry(id, { manager }));
        }
        expect(retried).toEqual([true, false, true]);
        await bench.work([jobHandler(add, () => undefined)]);
        const { id } = await bench.queue.enqueue(add, undefined, aside);
        await bench.untilJobIs(id, 'succeeded');
      });
      expect(await bench.queue.find(again)).toMatchObject({ state: 'ready', attempt: 4 });
    });
  },
  ['mariadb', 'mysql'],
);
