import { expect, test } from '@jest/globals';
import {
  type DurableJobContext,
  InvalidSignalError,
  type Signal,
  defineJob,
  defineSignal,
  jobHandler,
} from '@tablequeue/typeorm';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import { stepRows, takeFromWorker } from '../support/restarting.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const purchase = defineJob('purchase');
const approved = defineSignal<{ by: string }>('approved');
const rejected = defineSignal('rejected', { schema: z.object({ reason: z.string() }) });

describeEach('signals to durable jobs', (engine) => {
  const bench = useWorkbench(engine);

  const handlerOf = (handle: (job: DurableJobContext) => unknown) =>
    jobHandler(purchase, (_payload, job) => handle(job));

  const countSignals = async (condition = '1 = 1') => {
    const [row] = await bench.dataSource.query(`SELECT COUNT(*) AS count FROM tq_signal WHERE ${condition}`);
    return Number((row as { count: number | string }).count);
  };

  /** Stores a signal as a process does that dies behind its commit: it has not seen the wait. */
  const storeUnseenSignal = async (sentAt: number) => {
    await bench.dataSource.query(
      `INSERT INTO tq_signal (job_id, name, sent_at, id, data)
       SELECT id, 'paid', ${sentAt}, id, '"late"' FROM tq_job WHERE name = 'purchase'`,
    );
  };

  test('a job waits for a signal, and gets its data in each attempt', async () => {
    const received: (Signal<{ by: string }> | undefined)[] = [];
    await bench.work([
      handlerOf(async ({ waitForSignal, step, attempt }) => {
        received.push(await waitForSignal(approved));
        if (attempt === 2) {
          await takeFromWorker(bench);
          await step('lost', () => undefined);
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(purchase);
    await bench.untilJobIs(id, 'waiting');
    expect(await bench.queue.steps(id)).toMatchObject([{ name: 'approved', state: 'open', awaits: ['approved'] }]);
    expect(await bench.queue.signal(id, 'other')).toBe('sent');
    expect(await bench.queue.find(id)).toMatchObject({ state: 'waiting' });
    expect(await bench.queue.signal(id, approved, { by: 'ada' })).toBe('sent');
    await bench.untilJobIs(id, 'succeeded');
    expect(received).toHaveLength(2);
    expect(received[0]).toEqual({ data: { by: 'ada' }, sentAt: expect.any(Date) });
    expect(received[1]).toEqual(received[0]);
  });

  test('signals that come before the wait are kept, also before the first claim', async () => {
    const { id } = await bench.queue.enqueue(purchase);
    expect(await bench.queue.signal(id, approved, { by: 'ada' })).toBe('sent');
    expect(await bench.queue.signal(id, approved, { by: 'bob' })).toBe('sent');
    await bench.work([
      handlerOf(async ({ waitForSignal }) => {
        const first = await waitForSignal(approved);
        const second = await waitForSignal(approved);
        return [first.data.by, second.data.by];
      }),
    ]);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 1, result: ['ada', 'bob'] });
    expect(await stepRows(bench.queue)).toEqual(['signal approved done', 'signal approved#2 done']);
    expect(await countSignals('stage < 2 OR data IS NOT NULL')).toBe(0);
  });

  test('a signal whose commit was not answered is sent once, also if the job takes it before the retry', async () => {
    await bench.work([
      handlerOf(async ({ waitForSignal, waitForAny }) => {
        const first = await waitForSignal(approved);
        const second = await waitForAny({ again: approved, end: 'end' });
        return [first.data.by, second?.name];
      }),
    ]);
    const { id } = await bench.queue.enqueue(purchase);
    await bench.untilJobIs(id, 'waiting');
    const { engine: own } = bench.queue;
    const original = own.execute.bind(own);
    own.execute = async (factory, options) => {
      if (options.purpose !== 'send a signal') {
        return original(factory, options);
      }
      await original(factory, options);
      await waitFor('the job has taken it', async () =>
        (await bench.queue.steps(id)).some(({ name }) => name !== 'approved'),
      );
      return original((dialect) => factory(dialect, true), options);
    };
    try {
      expect(await bench.queue.signal(id, approved, { by: 'ada' })).toBe('sent');
    } finally {
      own.execute = original;
    }
    expect(await bench.queue.signal(id, 'end')).toBe('sent');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: ['ada', 'end'] });
  });

  test('a signal is part of the transaction of the caller', async () => {
    await bench.work([handlerOf(async ({ waitForSignal }) => (await waitForSignal(approved)).data)]);
    const { id } = await bench.queue.enqueue(purchase);
    await bench.untilJobIs(id, 'waiting');
    await bench.dataSource
      .transaction(async (manager) => {
        await bench.queue.signal(id, approved, { by: 'nobody' }, { manager });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'waiting' });
    await bench.dataSource.transaction((manager) => bench.queue.signal(id, approved, { by: 'ada' }, { manager }));
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: { by: 'ada' } });
  });

  test('undefined means that the timeout is over; a late signal is for the next wait', async () => {
    const received: unknown[] = [];
    await bench.work([
      handlerOf(async ({ waitForSignal, attempt }) => {
        received.push([attempt, await waitForSignal('answer', { timeout: '1h' })]);
        received.push([attempt, (await waitForSignal('answer')).data]);
      }),
    ]);
    const { id } = await bench.queue.enqueue(purchase);
    await bench.untilJobIs(id, 'scheduled');
    bench.clock.advance('1h');
    await bench.untilJobIs(id, 'waiting');
    expect(received).toEqual([[2, undefined]]);
    await bench.queue.signal(id, 'answer', null);
    await bench.untilJobIs(id, 'succeeded');
    expect(received.slice(1)).toEqual([
      [3, undefined],
      [3, null],
    ]);
    expect(await stepRows(bench.queue)).toEqual(['signal answer late', 'signal answer#2 done']);
  });

  test('a signal that is there when the timeout is over wins', async () => {
    const worker = await bench.work([handlerOf(({ waitForSignal }) => waitForSignal('answer', { timeout: '1h' }))]);
    const { id } = await bench.queue.enqueue(purchase);
    await bench.untilJobIs(id, 'scheduled');
    await worker.stopClaiming();
    bench.clock.advance('1h');
    await bench.queue.signal(id, 'answer', 'in time');
    await bench.work([handlerOf(({ waitForSignal }) => waitForSignal('answer', { timeout: '1h' }))]);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: { data: 'in time' } });
  });

  test('the first of several signals', async () => {
    await bench.work([
      handlerOf(async ({ waitForAny }) => {
        const answer = await waitForAny({ yes: approved, no: rejected }, { timeout: '1d' });
        const other = await waitForAny({ yes: approved, no: rejected }, { timeout: 0 });
        return [answer?.name, answer?.name === 'no' ? answer.data.reason : undefined, other?.name];
      }),
    ]);
    const { id } = await bench.queue.enqueue(purchase);
    await bench.untilJobIs(id, 'scheduled');
    const awaits = ['approved', 'rejected'];
    expect(await bench.queue.steps(id)).toMatchObject([{ name: 'any of approved, rejected', state: 'open', awaits }]);
    await bench.queue.signal(id, rejected, { reason: 'too expensive' });
    const done = await bench.untilJobIs(id, 'succeeded');
    expect(done?.result).toEqual(['no', 'too expensive', null]);
    expect(await stepRows(bench.queue)).toEqual([
      'signal any of approved, rejected done',
      'signal any of approved, rejected#2 late',
    ]);
  });

  test('a signal does not end the backoff of a job whose last attempt has failed', async () => {
    await bench.work([
      handlerOf(async ({ attempt, waitForSignal, sleep }) => {
        const paid = waitForSignal('paid');
        await sleep('1h');
        if (attempt === 2) {
          throw new Error('not now');
        }
        return (await paid).data;
      }),
    ]);
    const { id } = await bench.queue.enqueue(purchase);
    await bench.untilJobIs(id, 'scheduled');
    bench.clock.advance('1h');
    await waitFor('it has failed', async () => (await bench.queue.find(id))?.failures === 1);
    await bench.queue.signal(id, 'paid', 'early');
    expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled', attempt: 2 });
    bench.clock.advance('1h');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: 'early', attempt: 3, failures: 1 });
  });

  test('a repeated signal with the same once is known, also after it was taken', async () => {
    const send = (once: string) => bench.queue.signal(id, approved, { by: once }, { once });
    const { id } = await bench.queue.enqueue(purchase);
    expect(await Promise.all([send('hook 1'), send('hook 1')])).toEqual(expect.arrayContaining(['sent', 'known']));
    await bench.work([
      handlerOf(async ({ waitForSignal }) => {
        const first = await waitForSignal(approved);
        return [first.data.by, (await waitForSignal(approved)).data.by];
      }),
    ]);
    await bench.untilJobIs(id, 'waiting');
    expect(await send('hook 1')).toBe('known');
    expect(await send('hook 2')).toBe('sent');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: ['hook 1', 'hook 2'] });
    expect(await send('hook 3')).toBeUndefined();
  });

  test('signals by key reach the live jobs with the key', async () => {
    await bench.work([handlerOf(({ waitForSignal }) => waitForSignal('paid'))]);
    const jobs = await Promise.all([1, 2].map(() => bench.queue.enqueue(purchase, undefined, { key: 'order:1' })));
    await bench.queue.enqueue(purchase, undefined, { key: 'order:2' });
    await Promise.all(jobs.map(({ id }) => bench.untilJobIs(id, 'waiting')));
    expect(await bench.queue.signalByKey('order:1', 'paid')).toEqual({ sent: 2 });
    await Promise.all(jobs.map(({ id }) => bench.untilJobIs(id, 'succeeded')));
    expect(await bench.queue.signalByKey('order:1', 'paid')).toEqual({ sent: 0 });
  });

  test('data that the schema rejects, or that is no JSON, is not sent', async () => {
    const { id } = await bench.queue.enqueue(purchase);
    await expect(bench.queue.signal(id, rejected, { reason: 1 } as never)).rejects.toThrow(InvalidSignalError);
    await expect(bench.queue.signal(id, 'big', 'x'.repeat(2 ** 20))).rejects.toThrow('the limit is 1048576');
    await expect(bench.queue.signal(id, 'bigint', 1n)).rejects.toThrow(InvalidSignalError);
    expect(await countSignals()).toBe(0);
  });

  test('the reaper wakes up jobs for signals whose process has died', async () => {
    const worker = await bench.work([handlerOf(async ({ waitForSignal }) => (await waitForSignal('paid')).data)]);
    const { id } = await bench.queue.enqueue(purchase);
    await bench.untilJobIs(id, 'waiting');
    await storeUnseenSignal(Date.now() + bench.clock.shift);
    await worker.reaper.runOnce();
    expect(await bench.queue.find(id)).toMatchObject({ state: 'waiting' });
    bench.clock.advance('5s');
    await worker.reaper.runOnce();
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: 'late' });
  });

  test('the reaper wakes up jobs for signals that a process sent and died while the clock was ahead', async () => {
    const worker = await bench.work([handlerOf(async ({ waitForSignal }) => (await waitForSignal('paid')).data)]);
    const { id } = await bench.queue.enqueue(purchase);
    await bench.untilJobIs(id, 'waiting');
    await storeUnseenSignal(Date.now() + bench.clock.shift + 3_600_000);
    await worker.reaper.runOnce();
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: 'late' });
  });

  test('one run of the reaper wakes up a job behind hundreds of signals to another', async () => {
    const worker = await bench.work([handlerOf(async ({ waitForSignal }) => (await waitForSignal('paid')).data)]);
    const jobs = await bench.queue.enqueueMany(purchase, [{}, {}]);
    const [first, second] = jobs.map(({ id }) => id).toSorted() as [string, string];
    await bench.untilJobIs(first, 'waiting');
    await bench.untilJobIs(second, 'waiting');
    await bench.dataSource.transaction(async (manager) => {
      for (let count = 0; count < 450; count++) {
        await bench.queue.signal(first, `other ${count}`, undefined, { manager });
      }
      await bench.queue.signal(second, 'later', undefined, { manager });
    });
    // As if no process had seen any of them, and the wait were for another signal.
    await bench.dataSource.query('UPDATE tq_signal SET stage = 0');
    await bench.dataSource.query("UPDATE tq_signal SET name = 'paid' WHERE name = 'later'");
    bench.clock.advance('1m');
    await worker.reaper.runOnce();
    await bench.untilJobIs(second, 'succeeded');
    expect(await bench.queue.find(first)).toMatchObject({ state: 'waiting' });
    await worker.stop();
  });

  test('all signals of a job go when it has finished', async () => {
    const worker = await bench.work([handlerOf(({ waitForSignal }) => waitForSignal('used'))]);
    const { id } = await bench.queue.enqueue(purchase, undefined, { delay: '1h' });
    await bench.queue.signal(id, 'used');
    await bench.queue.signal(id, 'unused');
    bench.clock.advance('1h');
    await bench.untilJobIs(id, 'succeeded');
    await worker.pruner.runOnce();
    expect(await countSignals()).toBe(0);
  });

  test('a signal that comes while the job starts to wait is never lost', async () => {
    const jobs = 40;
    await bench.work([handlerOf(({ waitForSignal }) => waitForSignal('go'))], { concurrency: 20 });
    const all = await bench.queue.enqueueMany(
      purchase,
      Array.from({ length: jobs }, () => ({ payload: undefined })),
    );
    await Promise.all(all.map(({ id }) => bench.queue.signal(id, 'go')));
    await waitFor('all have got it', async () => (await bench.countFinished()) === jobs);
  });
});
