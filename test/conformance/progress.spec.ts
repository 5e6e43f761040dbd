import { expect, test } from '@jest/globals';
import { defineJob, fixed, jobHandler, transactionalHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { SNAPSHOT_ISOLATION } from '../support/session-settings.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const report = defineJob('report', { queue: 'reports', retry: { attempts: 2, backoff: fixed(0) } });

describeEach('progress', (engine) => {
  const bench = useWorkbench(engine);

  async function running() {
    const { runs, handler } = heldHandler(report);
    const worker = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(report);
    await waitFor('it runs', () => runs.length === 1);
    return { id, runs, worker };
  }

  const progressOf = async (id: string) => (await bench.queue.find(id))?.progress;

  test('is seen while the job runs, and after it', async () => {
    const { id, runs } = await running();
    expect(await progressOf(id)).toBeUndefined();
    const { progress } = runs[0]!.job;
    progress({ done: 1, of: 2 });
    await waitFor('it is stored', async () => (await progressOf(id)) !== undefined);
    expect(await progressOf(id)).toEqual({ done: 1, of: 2 });
    runs[0]!.end();
    await bench.untilJobIs(id, 'succeeded');
    expect(await progressOf(id)).toEqual({ done: 1, of: 2 });
  });

  test('reported often, it is stored rarely; the last value comes with the outcome', async () => {
    const statements: string[] = [];
    const counted = defineJob('counted');
    const worker = bench.worker([
      jobHandler(counted, async (_payload, job) => {
        for (let done = 1; done <= 1000; done++) {
          job.progress(done);
          await new Promise((resolve) => setImmediate(resolve));
        }
        return 'all';
      }),
    ]);
    const { engine: own } = worker as unknown as { engine: typeof bench.queue.engine };
    const original = own.execute.bind(own);
    own.execute = (factory, options) => {
      statements.push(options.purpose);
      return original(factory, options);
    };
    const since = performance.now();
    await worker.start();
    const { id } = await bench.queue.enqueue(counted);
    expect(await bench.queue.waitFor(id)).toBe('all');
    const seconds = (performance.now() - since) / 1000;
    own.execute = original;
    expect(await progressOf(id)).toBe(1000);
    expect(statements.filter((purpose) => purpose === 'store progress').length).toBeLessThanOrEqual(1 + 2 * seconds);
  });

  test('stays from one attempt to the next, and with a job that is cancelled then', async () => {
    const { id, runs, worker } = await running();
    runs[0]!.job.progress('half');
    await waitFor('it is stored', async () => (await progressOf(id)) === 'half');
    await bench.queue.control.pause('reports');
    runs[0]!.fail(new Error('once'));
    await waitFor('it waits', async () => (await bench.queue.find(id))?.state !== 'running');
    expect(await progressOf(id)).toBe('half');
    await worker.stop();
    await bench.queue.cancel(id);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'cancelled', progress: 'half' });
  });

  test('of a transactional handler it comes with the outcome too', async () => {
    const inTransaction = defineJob('in-transaction');
    const { id, runs } = await running();
    await bench.work([transactionalHandler(inTransaction, (_payload, { progress }) => progress('all'))]);
    // Nothing is stored for the next half second.
    runs[0]!.job.progress('half');
    await waitFor('it is stored', async () => (await progressOf(id)) === 'half');
    const other = await bench.queue.enqueue(inTransaction);
    await bench.untilJobIs(other.id, 'succeeded');
    expect(await progressOf(other.id)).toBe('all');
    runs[0]!.end();
  });

  test('of an attempt that lost its job is not stored', async () => {
    const { id, runs, worker } = await running();
    await worker.stopClaiming();
    await bench.dataSource.query("UPDATE tq_job SET owner = 0, lane = 0, state = 'ready'");
    runs[0]!.job.progress('from the dead');
    runs[0]!.end();
    await waitFor('its worker has noticed', () => worker.activeJobs === 0);
    expect(await progressOf(id)).toBeUndefined();
  });

  test('progress that cannot be stored is logged and does not affect the job', async () => {
    const { id, runs } = await running();
    runs[0]!.job.progress(1n);
    runs[0]!.job.progress('x'.repeat(2 * 1024 * 1024));
    expect(bench.logger.lines).toHaveLength(2);
    runs[0]!.end();
    await bench.untilJobIs(id, 'succeeded');
  });
});

describeEach(
  'progress where a server isolates snapshots',
  (engine) => {
    const bench = useWorkbench(engine, { dataSource: SNAPSHOT_ISOLATION });

    test('is stored while a transactional handler runs that has read its job', async () => {
      const inTransaction = defineJob('in-transaction', { retry: { attempts: 1 } });
      await bench.work([
        transactionalHandler(inTransaction, async (_payload, { id, manager, progress }) => {
          await manager.query('SELECT COUNT(*) FROM tq_job');
          progress('half');
          await waitFor('it is stored', async () => (await bench.queue.find(id))?.progress === 'half');
        }),
      ]);
      const { id } = await bench.queue.enqueue(inTransaction);
      await waitFor('it has ended', async () => (await bench.countFinished()) > 0);
      expect(await bench.queue.find(id)).toMatchObject({ state: 'succeeded', progress: 'half' });
    });
  },
  ['mariadb'],
);
