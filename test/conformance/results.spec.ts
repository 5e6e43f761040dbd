import { afterEach, expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  JobCancelledError,
  JobFailedError,
  JobGoneError,
  TableQueue,
  UnknownOptionError,
  WaitTimeoutError,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { countJob, holdJob } from '../support/jobs.js';
import { SNAPSHOT_ISOLATION } from '../support/session-settings.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const report = defineJob('report', { queue: 'reports', retry: { attempts: 2, backoff: fixed(0) } });
const forgotten = defineJob('forgotten', { keep: 'none' });
const MISSING = '01890000-0000-7000-8000-000000000000';

describeEach('waiting for results', (engine) => {
  const bench = useWorkbench(engine);
  // Nothing stays behind, however a wait has ended.
  afterEach(() => expect(bench.queue.waits.size).toBe(0));

  async function running() {
    const { runs, handler } = heldHandler(report);
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(report);
    await waitFor('it runs', () => runs.length === 1);
    return { id, runs, run: runs[0]! };
  }

  test('all waits, and later ones, resolve with the result of the handler', async () => {
    const { id, run } = await running();
    const waits = [bench.queue.waitFor(id), bench.queue.waitFor<{ pages: number }>(id.toUpperCase())];
    run.end({ pages: 3 });
    expect(await Promise.all(waits)).toEqual([{ pages: 3 }, { pages: 3 }]);
    expect(await bench.queue.waitFor(id)).toEqual({ pages: 3 });
  });

  test('a handler that returns nothing brings undefined', async () => {
    await bench.work([jobHandler(report, () => undefined)]);
    const { id } = await bench.queue.enqueue(report);
    expect(await bench.queue.waitFor(id)).toBeUndefined();
  });

  test('a wait continues during retries, and rejects with the last failure', async () => {
    await bench.work([
      jobHandler(report, (_payload, { attempt }) => {
        throw new Error(`failure ${attempt}`);
      }),
    ]);
    const { id } = await bench.queue.enqueue(report);
    const failed = await bench.queue.waitFor(id).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(JobFailedError);
    expect(failed).toMatchObject({ id, reason: expect.stringContaining('failure 2') });
  });

  test('a cancelled job throws, whether it waited or ran', async () => {
    const { id } = await bench.queue.enqueue(report, undefined, { delay: '1h' });
    const first = bench.queue.waitFor(id).catch((error: unknown) => error);
    await bench.queue.cancel(id);
    expect(await first).toBeInstanceOf(JobCancelledError);
    const { id: other, run } = await running();
    const second = bench.queue.waitFor(other).catch((error: unknown) => error);
    await bench.queue.cancel(other);
    await waitFor('it is aborted', () => run.job.signal.aborted);
    run.fail(new Error('aborted'));
    expect(String(await second)).toContain(`Job ${other} was cancelled.`);
  });

  test('a wait ends at its timeout, and by its signal', async () => {
    const { id } = await bench.queue.enqueue(report, undefined, { delay: '1h' });
    await expect(bench.queue.waitFor(id, { timeout: 30 })).rejects.toThrow(WaitTimeoutError);
    await expect(bench.queue.waitFor(MISSING, { timeout: 1 })).rejects.toMatchObject({ id: MISSING, timeout: 1 });
    const controller = new AbortController();
    const aborted = bench.queue.waitFor(id, { signal: controller.signal });
    controller.abort(new Error('no longer'));
    await expect(aborted).rejects.toThrow('no longer');
    await expect(bench.queue.waitFor(id, { signal: controller.signal })).rejects.toThrow('no longer');
  });

  test('a wait ends when a job with keep: none has succeeded and is deleted', async () => {
    const { runs, handler } = heldHandler(forgotten);
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(forgotten);
    await waitFor('it runs', () => runs.length === 1);
    // Its workers are other processes' to this one.
    const elsewhere = new TableQueue(bench.dataSource);
    let looks = 0;
    const original = elsewhere.engine.execute.bind(elsewhere.engine);
    elsewhere.engine.execute = (factory, options) => original(factory, options).finally(() => looks++);
    const waits = [bench.queue, elsewhere].map((queue) => queue.waitFor(id).catch((error: unknown) => error));
    await waitFor('it was seen', () => looks > 0);
    runs[0]!.end('unheard');
    for (const error of await Promise.all(waits)) {
      expect(error).toBeInstanceOf(JobGoneError);
      expect(error).toMatchObject({ id, message: expect.stringContaining("keep: 'none'") });
    }
    await expect(elsewhere.waitFor(id, { timeout: 30 })).rejects.toThrow(/was not found: it does not exist/);
  });

  test('it is gone also if it has ended here before anybody has looked', async () => {
    await bench.work([jobHandler(forgotten, () => 'quick')]);
    const { id } = await bench.queue.enqueue(forgotten);
    await expect(bench.queue.waitFor(id)).rejects.toThrow(JobGoneError);
  });

  test('a job that another process runs is waited for too', async () => {
    const process = await bench.startProcess();
    const { id } = await bench.queue.enqueue(countJob, 1);
    await bench.queue.waitFor(id);
    const held = await bench.queue.enqueue(holdJob, 2);
    await waitFor('it runs', () => process.reported.held === 1);
    const wait = bench.queue.waitFor(held.id);
    process.release();
    await wait;
  });

  test('many waits share their polls', async () => {
    const jobs = await bench.queue.enqueueMany(
      report,
      Array.from({ length: 500 }, () => ({})),
    );
    const waits = Promise.all(jobs.map(({ id }) => bench.queue.waitFor(id)));
    let looks = 0;
    const original = bench.queue.engine.execute.bind(bench.queue.engine);
    bench.queue.engine.execute = (factory, options) => {
      looks += options.purpose.startsWith('wait for jobs') ? 1 : 0;
      return original(factory, options);
    };
    await bench.work([jobHandler(report, (_payload, { id }) => id)]);
    expect(await waits).toEqual(jobs.map(({ id }) => id));
    bench.queue.engine.execute = original;
    expect(looks).toBeLessThan(250);
  });

  test('a job that ends in this process is not waited for any longer', async () => {
    const { id, run } = await running();
    const looks: number[] = [];
    const original = bench.queue.engine.execute.bind(bench.queue.engine);
    bench.queue.engine.execute = (factory, options) => {
      if (options.purpose === 'wait for jobs') {
        looks.push(performance.now());
      }
      return original(factory, options);
    };
    const wait = bench.queue.waitFor(id);
    // The one after that is a quarter of a second away.
    await waitFor('the looks are far apart', () => looks.length > 1 && looks.at(-1)! - looks.at(-2)! > 200);
    const planned: number[] = [];
    const waits = bench.queue['waits'] as unknown as { schedulePoll(milliseconds: number): void };
    const schedulePoll = waits.schedulePoll.bind(waits);
    waits.schedulePoll = (milliseconds) => {
      planned.push(milliseconds);
      schedulePoll(milliseconds);
    };
    run.end('done');
    expect(await wait).toBe('done');
    bench.queue.engine.execute = original;
    waits.schedulePoll = schedulePoll;
    expect(planned).toContain(0);
  });

  test('refuses what it cannot understand', async () => {
    await expect(bench.queue.waitFor('17')).rejects.toThrow(InvalidOptionError);
    await expect(bench.queue.waitFor(MISSING, { timeout: 0 })).rejects.toThrow(InvalidOptionError);
    await expect(bench.queue.waitFor(MISSING, { signal: {} as AbortSignal })).rejects.toThrow(InvalidOptionError);
    await expect(bench.queue.waitFor(MISSING, { every: 1 } as object)).rejects.toThrow(UnknownOptionError);
  });
});

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
    await bench.dataSource.query("UPDATE tq_job SET owner = 0, state = 'ready'");
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

    test('does not block a transactional handler that has read its job', async () => {
      const { handler, runs } = heldHandler(report);
      const inTransaction = defineJob('in-transaction', { retry: { attempts: 1 } });
      const other = await bench.queue.enqueue(report);
      await bench.work([
        handler,
        transactionalHandler(inTransaction, async (_payload, { manager, progress }) => {
          await manager.query('SELECT COUNT(*) FROM tq_job');
          progress('half');
          runs[0]!.job.progress('later');
          await waitFor('it is stored', async () => {
            return (await bench.queue.find(other.id))?.progress === 'later';
          });
        }),
      ]);
      await waitFor('the other runs', () => runs[0]);
      const { id } = await bench.queue.enqueue(inTransaction);
      await waitFor('it has ended', async () => (await bench.countHistory()) > 0);
      expect(await bench.queue.find(id)).toMatchObject({ state: 'succeeded', progress: 'half' });
      runs[0]!.end();
      await bench.untilJobIs(other.id, 'succeeded');
    });
  },
  ['mariadb'],
);
