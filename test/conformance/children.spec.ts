import { expect, test } from '@jest/globals';
import { child, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { double, parentJob, runParent } from '../support/parents.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

describeEach('children of durable jobs', (engine) => {
  const bench = useWorkbench(engine);

  test('a parent gets the result of a child, and starts it once', async () => {
    let calls = 0;
    const parent = await runParent(
      bench,
      async (job) => ({ doubled: await job.run('double', child(double, 21)) }),
      (number) => {
        calls++;
        return number * 2;
      },
    );
    expect(parent).toMatchObject({ state: 'succeeded', result: { doubled: 42 }, failures: 0 });
    expect(calls).toBe(1);
    const steps = await bench.queue.steps(parent.id);
    expect(steps).toMatchObject([{ name: 'double', kind: 'child', state: 'done' }]);
  });

  test('runAll gives the results in the order of the children, of any queue', async () => {
    const parent = await runParent(bench, (job) =>
      job.runAll(
        'all',
        [5, 3, 1, 4, 2].map((number) => child(double, number, { priority: number })),
      ),
    );
    expect(parent.result).toEqual([10, 6, 2, 8, 4]);
  });

  test('no children are no wait', async () => {
    const parent = await runParent(bench, (job) => job.runAll('none', []));
    expect(parent).toMatchObject({ state: 'succeeded', result: [], attempt: 1 });
  });

  test('children run at the same time as other waits of the parent', async () => {
    const parent = await runParent(bench, (job) =>
      Promise.all([job.run('a', child(double, 1)), job.run('b', child(double, 2))]),
    );
    expect(parent.result).toEqual([2, 4]);
  });

  test('a child whose group is pruned before its parent begins to wait does not run again', async () => {
    let calls = 0;
    const parent = await runParent(
      bench,
      (job) =>
        Promise.all([
          job.run('double', child(double, 21)),
          job.step('long', async () => {
            await waitFor('the child has ended', () => calls === 1);
            await waitFor('nothing is left of it', async () => {
              await bench.queue.prune(0);
              return (await bench.dataSource.query('SELECT 1 FROM tq_group')).length === 0;
            });
          }),
        ]),
      (number) => {
        calls++;
        return number * 2;
      },
    );
    expect(parent.result).toEqual([42, null]);
    expect(calls).toBe(1);
  });

  test('a child with an asynchronous schema starts beside another wait', async () => {
    const checked = defineJob('checked', {
      queue: 'children',
      schema: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: async (value: unknown) => {
            await new Promise((resolve) => setTimeout(resolve, 30));
            return { value: value as number };
          },
        },
      },
    });
    await bench.work([
      jobHandler(parentJob, (_payload, job) => Promise.all([job.sleep('1h'), job.run('checked', child(checked, 1))])),
    ]);
    await bench.queue.enqueue(parentJob, 1);
    await waitFor('it is there', async () => (await bench.liveJobs()).some(({ name }) => name === 'checked'));
  });

  test('children that the server has lost with their commit are started again', async () => {
    const parent = await runParent(bench, (job) =>
      Promise.all([
        job.run('double', child(double, 21)),
        job.step('lose', async () => {
          const { dataSource } = bench;
          await waitFor('they are stored', async () => (await dataSource.query('SELECT 1 FROM tq_group')).length > 0);
          await bench.queue.control.pause('children');
          for (const rows of [
            'tq_group',
            'tq_member',
            "tq_step WHERE kind = 'child'",
            "tq_job WHERE queue = 'children'",
          ]) {
            await dataSource.query(`DELETE FROM ${rows}`);
          }
          await bench.queue.control.resume('children');
        }),
      ]),
    );
    expect(parent.result).toEqual([42, null]);
  });

  test.each([
    ['a child ends with its parent', 1],
    ['a thousand children end with their parent in one run of the reaper', 1_000],
  ])('%s', async (_what, count) => {
    const children = Array.from({ length: count }, (_, index) => child(double, index));
    const worker = await bench.work([jobHandler(parentJob, (_payload, job) => job.runAll('all', children))]);
    const { id } = await bench.queue.enqueue(parentJob, 1);
    await bench.untilJobIs(id, 'waiting');
    await bench.queue.cancel(id);
    await worker.reaper.runOnce();
    expect(await bench.liveJobs()).toEqual([]);
    await worker.stop();
  });

  test('many parents in a queue of one, with children in the same queue', async () => {
    const narrow = defineJob<number>('narrow', { queue: 'narrow' });
    const leaf = defineJob<number>('leaf', { queue: 'narrow' });
    await bench.queue.control.limit('narrow', { concurrency: 1 });
    const worker = await bench.work([
      jobHandler(narrow, async (number, job) => job.run('leaf', child(leaf, number))),
      jobHandler(leaf, (number) => number),
    ]);
    const jobs = await bench.queue.enqueueMany(
      narrow,
      Array.from({ length: 20 }, (_, payload) => ({ payload })),
    );
    await waitFor('all have ended', async () => (await bench.liveJobs()).length === 0);
    const found = await Promise.all(jobs.map(({ id }) => bench.queue.find(id)));
    expect(found.map((job) => job?.result)).toEqual(jobs.map((_job, index) => index));
    await worker.stop();
  });
});

describeEach(
  'parents of children',
  (engine) => {
    const bench = useWorkbench(engine);

    test('one that a transaction has locked does not delay the others', async () => {
      // Before a worker that would still claim for a moment.
      await bench.queue.control.pause('children');
      await bench.work([
        jobHandler(parentJob, (number, job) => job.run('double', child(double, number))),
        jobHandler(double, (number) => number * 2),
      ]);
      const [locked, other] = await bench.queue.enqueueMany(parentJob, [{ payload: 1 }, { payload: 2 }]);
      const isWaiting = async (id: string) => (await bench.queue.find(id))?.state === 'waiting';
      await waitFor('both wait', async () => (await isWaiting(locked!.id)) && isWaiting(other!.id));
      await bench.dataSource.transaction(async (manager) => {
        // As an update of the application's own, or a long transaction that sends a signal.
        await manager.query('SELECT 1 FROM tq_job WHERE id = ? FOR UPDATE', [
          Buffer.from(locked!.id.replaceAll('-', ''), 'hex'),
        ]);
        await bench.queue.control.resume('children');
        await bench.untilJobIs(other!.id, 'succeeded');
      });
      expect(bench.logger.lines.filter((line) => line.includes('could not be woken up'))).toEqual([]);
      await bench.untilJobIs(locked!.id, 'succeeded');
    });
  },
  ['mariadb', 'mysql'],
);
