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
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { countJob, holdJob } from '../support/jobs.js';
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
