import { expect, test } from '@jest/globals';
import {
  type DurableJobContext,
  DuplicateStepError,
  NestedStepError,
  RunEndedError,
  StepFailedError,
  StepResultError,
  UnrecoverableJobError,
  defineJob,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import { stepRows, takeFromWorker } from '../support/restarting.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const order = defineJob('order', { retry: { attempts: 3, backoff: fixed('1h') } });

describeEach('durable steps', (engine) => {
  const bench = useWorkbench(engine);

  /** Runs a handler until its job has ended. */
  async function run(handle: (job: DurableJobContext) => unknown, state = 'succeeded') {
    await bench.work([jobHandler(order, (_payload, job) => handle(job))]);
    const { id } = await bench.queue.enqueue(order);
    return bench.untilJobIs(id, state);
  }

  test('a step runs once, although the handler runs again', async () => {
    const calls: string[] = [];
    const job = await run(async ({ step, attempt }) => {
      const first = await step('first', () => calls.push(`first of ${attempt}`));
      if (attempt === 1) {
        await takeFromWorker(bench);
        await step('lost', () => calls.push('lost'));
      }
      return [first, await step('second', () => calls.push(`second of ${attempt}`))];
    });
    expect(job).toMatchObject({ attempt: 2, failures: 0, result: [1, 3] });
    expect(calls).toEqual(['first of 1', 'lost', 'second of 2']);
    expect(await stepRows(bench.queue)).toEqual(['step first done', 'step second done']);
  });

  test('the first attempt and the later ones get the same values, those that JSON stores', async () => {
    const seen: unknown[] = [];
    await run(async ({ step, attempt }) => {
      const date = new Date(1_700_000_000_000);
      seen.push(
        await step('object', () => ({ date, none: undefined, nested: { empty: null }, list: [1, undefined] })),
        await step('nothing', () => undefined),
        await step('null', () => null),
        await step('text', async () => '\u0000 \ud800'),
      );
      if (attempt === 1) {
        await takeFromWorker(bench);
      }
    });
    const stored = [{ date: '2023-11-14T22:13:20.000Z', nested: { empty: null }, list: [1, null] }, undefined, null];
    expect(seen).toHaveLength(8);
    expect(seen.slice(0, 3)).toEqual(stored);
    expect(seen.slice(4)).toEqual(seen.slice(0, 4));
  });

  test('a step that fails is tried again alone, and costs the job no failure', async () => {
    const calls: string[] = [];
    const flaky = (name: string, failures: number) => (job: DurableJobContext) =>
      job.step(
        name,
        ({ failures: before }) => {
          calls.push(`${name} ${before}`);
          if (before < failures) {
            throw new Error(`${name} fails`);
          }
          return name;
        },
        { retry: { attempts: 4, backoff: fixed('1m') } },
      );
    const parked: unknown[] = [];
    const handler = jobHandler(order, async (_payload, job) => {
      await job.step('once', () => calls.push('once'));
      return Promise.all([flaky('a', 3)(job), flaky('b', 1)(job), flaky('c', 0)(job)]);
    });
    const worker = await bench.work([handler]);
    worker.events.on('parked', (_job, delay, waits) => parked.push([delay, waits]));
    const events: string[] = [];
    worker.events.on('stepDone', (_job, step) => events.push(`${step} is done`));
    worker.events.on('stepFailed', (_job, step, error, delay) => events.push(`${step}: ${error.message}, ${delay} ms`));
    const { id } = await bench.queue.enqueue(order);
    for (let tries = 1; tries <= 3; tries++) {
      await waitFor('it waits', () => parked.length === tries);
      expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled', failures: 0 });
      bench.clock.advance('1m');
    }
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ failures: 0, result: ['a', 'b', 'c'], attempt: 4 });
    expect(calls).toEqual(['once', 'a 0', 'b 0', 'c 0', 'a 1', 'b 1', 'a 2', 'a 3']);
    expect(parked[0]).toEqual([expect.any(Number), ['a', 'b']]);
    expect(events.slice(0, 2)).toEqual(['once is done', 'a: a fails, 60000 ms']);
    expect(events.filter((event) => event.endsWith('done'))).toEqual(
      ['once', 'c', 'b', 'a'].map((step) => `${step} is done`),
    );
    expect((await bench.queue.find(id))?.errors[0]?.error).toContain('Step "a": Error: a fails');
  });

  test('a step that another worker has stored in an attempt of the same number is not its own', async () => {
    const calls: string[] = [];
    const worker = await bench.work([
      jobHandler(order, async (_payload, { step }) => {
        await step('one', async () => {
          calls.push('one');
          // As after a crash of the server that has lost the claim: the next one has the same number.
          await bench.dataSource.query(
            "UPDATE tq_job SET owner = 4000000000, lane = 4000000000 WHERE state = 'running'",
          );
          await bench.dataSource.query(
            `INSERT INTO tq_step (job_id, kind, name, state, seq, attempt, recorded_at)
             SELECT id, 'step', 'one', 'done', 1, attempt, 0 FROM tq_job`,
          );
        });
        await step('two', () => calls.push('two'));
      }),
    ]);
    await bench.queue.enqueue(order);
    await waitFor('it has ended here', () => calls.length > 0 && worker.activeJobs === 0);
    await worker.stop();
    expect(calls).toEqual(['one']);
  });

  test('a final failure is a result: each attempt takes the same branch', async () => {
    const branches: unknown[] = [];
    let calls = 0;
    const job = await run(async ({ step, attempt }) => {
      try {
        await step('pay', () => {
          calls++;
          throw Object.assign(new UnrecoverableJobError('no money'), { code: 'E_MONEY' });
        });
      } catch (error) {
        branches.push(error);
      }
      if (attempt === 1) {
        await takeFromWorker(bench);
      }
      await step('tell', () => undefined);
    });
    expect(calls).toBe(1);
    expect(job).toMatchObject({ attempt: 2, failures: 0 });
    expect(branches).toHaveLength(2);
    for (const error of branches) {
      expect(error).toBeInstanceOf(StepFailedError);
      expect(error).toMatchObject({
        step: 'pay',
        failures: 1,
        cause: { name: 'UnrecoverableJobError', message: 'no money', code: 'E_MONEY' },
      });
    }
  });

  test('a final failure that the handler does not catch fails the job at once', async () => {
    const job = await run(async ({ step }) => {
      await step('pay', () => Promise.reject(new Error('no money')), { retry: { attempts: 1 } });
    }, 'failed');
    expect(job).toMatchObject({ attempt: 1, failures: 1 });
    expect(job.error).toContain('The step "pay" failed for good after 1 try: no money');
  });

  test.each([
    ['a BigInt', () => 1n, /BigInt/],
    ['a circle', () => circle(), /circular/],
    ['2 MiB', () => 'x'.repeat(2 * 1024 * 1024), /the limit is 1048576/],
  ])('a result that is %s fails the step, which does not run again until a retry', async (_what, result, reason) => {
    let calls = 0;
    let isCorrected = false;
    const job = await run(async ({ step }) => {
      return step('big', () => {
        calls++;
        return isCorrected ? 'small' : result();
      });
    }, 'failed');
    expect(job.error).toMatch(reason);
    expect(calls).toBe(1);
    isCorrected = true;
    expect(await bench.queue.failed.retry(job.id)).toBe(true);
    expect(await bench.untilJobIs(job.id, 'succeeded')).toMatchObject({ result: 'small' });
    expect(calls).toBe(2);
  });

  test('of two attempts of a job in one worker only the later one gets a result', async () => {
    const ends: (() => void)[] = [];
    const seen: string[] = [];
    const handler = jobHandler(order, async (_payload, { attempt, step }) => {
      const wait = () => new Promise<void>((resolve) => ends.push(resolve));
      await step('one', wait).then(
        () => seen.push(`attempt ${attempt} goes on`),
        (error: Error) => seen.push(`attempt ${attempt}: ${error.name}`),
      );
    });
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(order);
    await waitFor('the first attempt runs', () => ends.length === 1);
    // As the reaper does after the worker has lost its lease.
    await bench.dataSource.query("UPDATE tq_job SET state = 'ready', owner = 0, lane = tenant_lane");
    await waitFor('the second attempt runs', () => ends.length === 2);
    ends.forEach((end) => end());
    await bench.untilJobIs(id, 'succeeded');
    expect(seen.toSorted()).toEqual(['attempt 1: LeaseLostError', 'attempt 2 goes on']);
  });

  test('a second step of the same name is refused before it runs', async () => {
    const calls: number[] = [];
    const job = await run(async ({ step }) => {
      for (const item of [1, 2]) {
        await step('item', () => calls.push(item));
      }
    }, 'failed');
    expect(job.error).toContain(DuplicateStepError.name);
    expect(job).toMatchObject({ attempt: 1 });
    expect(calls).toEqual([1]);
  });

  test('a durable call in a step is refused', async () => {
    const job = await run(async ({ step, sleep }) => {
      await step('outer', () => step('inner', () => undefined)).catch((error: StepFailedError) => {
        expect(error.cause.name).toBe(NestedStepError.name);
      });
      await step('other', async () => sleep('1h'));
    }, 'failed');
    expect(job.error).toContain('job.sleep was called inside the step "other"');
    expect(await stepRows(bench.queue)).toEqual(['step outer failed', 'step other failed']);
  });

  test('a step after the end of the handler does not run', async () => {
    let late: Promise<unknown> | undefined;
    let hasRun = false;
    await run((job) => {
      late = job
        .step('awaited', () => undefined)
        .then(async () => {
          await bench.untilJobIs(job.id, 'succeeded');
          return job.step('late', () => (hasRun = true));
        });
      late.catch(() => undefined);
      return job.step('second', () => undefined);
    });
    await expect(late).rejects.toThrow(RunEndedError);
    expect(hasRun).toBe(false);
  });

  test.each([
    ['returned', () => undefined],
    ['ended', async () => undefined],
    [
      'thrown',
      () => {
        throw new UnrecoverableJobError('over');
      },
    ],
  ])('a first step after the handler has %s does not run', async (_how, end) => {
    let context: DurableJobContext | undefined;
    let hasRun = false;
    await bench.work([
      jobHandler(order, (_payload, job) => {
        context = job;
        return end();
      }),
    ]);
    const { id } = await bench.queue.enqueue(order);
    await waitFor('it has ended', async () => ['succeeded', 'failed'].includes((await bench.queue.find(id))!.state));
    await expect(context!.step('late', () => (hasRun = true))).rejects.toThrow(RunEndedError);
    await expect(context!.sleep('1h')).rejects.toThrow('job.sleep was called after the handler had ended');
    expect(hasRun).toBe(false);
    expect(context!.signal.aborted).toBe(false);
  });

  test('a step that the handler does not await is stored before the job ends', async () => {
    let end: (() => void) | undefined;
    await bench.work([
      jobHandler(
        order,
        (_payload, { step }) => void step('slow', () => new Promise<void>((resolve) => (end = resolve))),
      ),
    ]);
    const { id } = await bench.queue.enqueue(order);
    await waitFor('the step runs', () => end !== undefined);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'running' });
    end!();
    await bench.untilJobIs(id, 'succeeded');
    expect(await stepRows(bench.queue)).toEqual(['step slow done']);
  });

  test('the schema is checked each time a result is read', async () => {
    let schema = z.object({ id: z.number() }) as z.ZodType;
    const job = await run(async ({ step, attempt }) => {
      await step('read', () => ({ id: 1 }), { schema });
      if (attempt === 1) {
        schema = z.object({ id: z.string() });
        await takeFromWorker(bench);
        await step('lost', () => undefined);
      }
    }, 'failed');
    expect(job).toMatchObject({ attempt: 2 });
    expect(job.error).toContain(StepResultError.name);
    expect(await stepRows(bench.queue)).toEqual(['step read done']);
  });

  test('a step that is too slow fails, and its late result does not count', async () => {
    const job = await run(async ({ step }) => {
      return step(
        'slow',
        ({ signal, failures }) =>
          failures > 0
            ? 'in time'
            : new Promise((resolve) => signal.addEventListener('abort', () => resolve('too late'))),
        { timeout: '20ms', retry: { attempts: 2, backoff: fixed(1) } },
      );
    });
    expect(job).toMatchObject({ result: 'in time', failures: 0 });
    expect(job.errors[0]?.error).toContain('StepTimeoutError');
  });
});

function circle(): unknown {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}
