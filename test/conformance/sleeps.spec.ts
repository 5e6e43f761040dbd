import { expect, test } from '@jest/globals';
import { type DurableJobContext, DuplicateStepError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { stepRows, takeFromWorker } from '../support/restarting.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const trip = defineJob('trip', { timeout: '5m' });
const forgotten = defineJob('forgotten', { keep: 'none' });

describeEach('sleeps of durable jobs', (engine) => {
  const bench = useWorkbench(engine);

  async function start(handle: (job: DurableJobContext) => unknown) {
    const worker = await bench.work([jobHandler(trip, (_payload, job) => handle(job))]);
    const { id } = await bench.queue.enqueue(trip);
    return { id, worker };
  }

  test('a job that sleeps holds no slot, and runs again when its time has come', async () => {
    const calls: string[] = [];
    const { id, worker } = await start(async ({ step, sleep, attempt }) => {
      await step('before', () => calls.push('before'));
      await sleep('3d');
      await step('after', () => calls.push(`after in ${attempt}`));
    });
    const job = await bench.untilJobIs(id, 'scheduled');
    await waitFor('the slot is free', () => worker.activeJobs === 0);
    const left = job.runAt.getTime() - job.createdAt.getTime();
    expect(left).toBeGreaterThan(3 * 86_400_000 - 1_000);
    bench.clock.advance('2d');
    await worker.retrier.runOnce();
    expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled' });
    bench.clock.advance('1d');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2, failures: 0 });
    expect(calls).toEqual(['before', 'after in 2']);
    expect(await stepRows(bench.queue)).toEqual(['step before done', 'sleep sleep done', 'step after done']);
  });

  test('no catch and no finally runs when a handler starts to wait', async () => {
    const calls: string[] = [];
    const { id } = await start(async ({ sleep }) => {
      try {
        await sleep('1h');
        calls.push('woken up');
      } catch {
        calls.push('catch');
      } finally {
        calls.push('finally');
      }
    });
    await bench.untilJobIs(id, 'scheduled');
    expect(calls).toEqual([]);
    bench.clock.advance('1h');
    await bench.untilJobIs(id, 'succeeded');
    expect(calls).toEqual(['woken up', 'finally']);
  });

  test('a sleep until a time, several in order, and one that is over already', async () => {
    const until = new Date(Date.now() + bench.clock.shift + 3_600_000);
    const { id } = await start(async ({ sleep }) => {
      await sleep(0);
      await sleep(until);
      await sleep('1h');
      await sleep('2h', { name: 'named' });
    });
    expect((await bench.untilJobIs(id, 'scheduled'))?.runAt).toEqual(until);
    for (const name of ['sleep#3', 'named']) {
      bench.clock.advance('2h');
      await waitFor(`it waits for ${name}`, async () => (await stepRows(bench.queue)).includes(`sleep ${name} open`));
    }
    bench.clock.advance('2h');
    await bench.untilJobIs(id, 'succeeded');
    const rows = ['sleep sleep done', 'sleep sleep#2 done', 'sleep sleep#3 done', 'sleep named done'];
    expect(await stepRows(bench.queue)).toEqual(rows);
  });

  test('steps beside a sleep run, and the earliest of several waits wakes the job up', async () => {
    const calls: string[] = [];
    const { id } = await start(async ({ step, sleep }) => {
      await Promise.all([
        sleep('2h', { name: 'long' }).then(() => calls.push('long')),
        sleep('1h', { name: 'short' }).then(() => calls.push('short')),
        step('first', () => calls.push('first')).then(() => step('second', () => calls.push('second'))),
      ]);
    });
    await bench.untilJobIs(id, 'scheduled');
    expect(calls).toEqual(['first', 'second']);
    bench.clock.advance('1h');
    await waitFor('the short one is over', () => calls.includes('short'));
    await bench.untilJobIs(id, 'scheduled');
    bench.clock.advance('1h');
    await bench.untilJobIs(id, 'succeeded');
    expect(calls.filter((call) => call === 'long')).toHaveLength(1);
  });

  test('two sleeps without names at the same time are refused', async () => {
    const { id } = await start(({ sleep }) => Promise.all([sleep('1h'), sleep('2h')]));
    expect((await bench.untilJobIs(id, 'failed'))?.error).toContain(DuplicateStepError.name);
  });

  test.each(['slow first', 'chain first'])('a race is decided the same way in each attempt, %s', async (order) => {
    const winners: unknown[] = [];
    const { id } = await start(async ({ step, attempt }) => {
      let end: (value: string) => void = () => undefined;
      const runSlow = () => step('slow', () => new Promise<string>((resolve) => (end = resolve)));
      const runChain = async () => {
        await step('a', () => undefined);
        return step('b', () => 'chain');
      };
      const racing = order === 'slow first' ? [runSlow(), runChain()] : [runChain(), runSlow()];
      winners.push(await Promise.race(racing));
      end('slow');
      await Promise.all(racing);
      if (attempt < 3) {
        await takeFromWorker(bench);
        await step(`lost ${attempt}`, () => undefined);
      }
    });
    await bench.untilJobIs(id, 'succeeded');
    expect(winners).toEqual(['chain', 'chain', 'chain']);
  });

  test('a job keeps the progress that it has reported before it waits', async () => {
    const { id } = await start(async ({ progress, sleep }) => {
      progress('asleep');
      await sleep('1h');
    });
    expect(await bench.untilJobIs(id, 'scheduled')).toMatchObject({ progress: 'asleep' });
  });

  test('a job that sleeps is cancelled at once, and goes on where it was after a retry', async () => {
    const calls: string[] = [];
    const { id } = await start(async ({ step, sleep }) => {
      await step('before', () => calls.push('before'));
      await sleep('1h');
    });
    await bench.untilJobIs(id, 'scheduled');
    expect(await bench.queue.cancel(id)).toBe('cancelled');
    expect(await bench.queue.failed.retry(id)).toBe(true);
    await bench.untilJobIs(id, 'scheduled');
    bench.clock.advance('1h');
    await bench.untilJobIs(id, 'succeeded');
    expect(calls).toEqual(['before']);
  });

  test('run now ends a sleep and the wait for the next try of a step', async () => {
    let tries = 0;
    const { id } = await start(async ({ step, sleep }) => {
      await sleep('1h');
      await step('flaky', () => {
        if (tries++ === 0) {
          throw new Error('once');
        }
      });
    });
    await bench.untilJobIs(id, 'scheduled');
    expect(await bench.queue.jobs.runNow(id)).toMatchObject({ changed: 1 });
    await waitFor('the step has failed', () => tries === 1);
    await bench.untilJobIs(id, 'scheduled');
    expect(await bench.queue.jobs.runNow(id)).toMatchObject({ changed: 1 });
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ failures: 0 });
  });

  test('a worker that stops returns a job behind the step in progress, and another one goes on', async () => {
    const calls: string[] = [];
    let release: (() => void) | undefined;
    const handler = jobHandler(trip, async (_payload, { step }) => {
      for (let item = 1; item <= 20; item++) {
        await step(`item ${item}`, async () => {
          calls.push(`item ${item}`);
          if (item === 3) {
            await new Promise<void>((resolve) => (release = resolve));
          }
        });
      }
    });
    const first = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(trip);
    await waitFor('the third step runs', () => release !== undefined);
    const stopped = first.stop();
    release!();
    await stopped;
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', failures: 0, crashes: 0 });
    await bench.work([handler]);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2, failures: 0 });
    expect(calls).toHaveLength(20);
  });

  test('steps go with their job: when it is pruned, and when it is not kept', async () => {
    const { id, worker } = await start(({ step }) => step('kept', () => undefined));
    await bench.untilJobIs(id, 'succeeded');
    expect(await bench.queue.steps(id)).toMatchObject([{ name: 'kept', kind: 'step', state: 'done', attempt: 1 }]);
    bench.clock.advance('8d');
    expect(await worker.pruner.runOnce()).toEqual({ deleted: 1 });
    expect(await stepRows(bench.queue)).toEqual([]);
    // It has no handler for the next job.
    await bench.stopWorkers();
    await bench.work([
      jobHandler(forgotten, async (_payload, { step, sleep }) => {
        await step('before', () => undefined);
        await sleep('1m');
      }),
    ]);
    await bench.queue.enqueue(forgotten);
    await waitFor('it sleeps', async () => (await stepRows(bench.queue)).length === 2);
    bench.clock.advance('1m');
    await waitFor('it has ended', async () => bench.isEmpty());
    expect(await stepRows(bench.queue)).toEqual([]);
  });
});
