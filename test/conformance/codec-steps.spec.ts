import { expect, test } from '@jest/globals';
import {
  ChildFailedError,
  type Codec,
  DecodeFailedError,
  type DurableJobContext,
  InvalidSignalError,
  StepFailedError,
  UndecodedValue,
  child,
  defineJob,
  defineSignal,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';
import { TableQueueSignal, TableQueueStep } from '@tablequeue/typeorm/internal';

import { aes, columnsWith, made, queueWith, slow } from '../support/codecs.js';
import { describeEach } from '../support/each-engine.js';
import { takeFromWorker } from '../support/restarting.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const order = defineJob('order', { retry: { attempts: 3, backoff: fixed('1h') } });
const SECRET = { card: '4111' };

describeEach('codecs of durable jobs', (engine) => {
  const bench = useWorkbench(engine);

  const stepsOf = (kind: string) =>
    bench.rows(TableQueueStep).then((rows) => rows.filter((row) => row.kind === kind).sort((a, b) => a.seq - b.seq));

  /** Runs a handler until its job has ended. */
  async function run(codec: Codec | Codec[], handle: (job: DurableJobContext) => unknown, state = 'succeeded') {
    const queue = queueWith(bench, codec);
    await bench.work([jobHandler(order, (_payload, job) => handle(job))], {}, queue);
    const { id } = await queue.enqueue(order);
    await bench.untilJobIs(id, state);
    return (await queue.find(id))!;
  }

  test('step results and cursors are encoded, and later attempts get what the first one got', async () => {
    const seen: unknown[] = [];
    const job = await run(slow(aes('key')), async ({ step, cursor, checkpoint, attempt }) => {
      seen.push(
        await cursor(),
        await step('pay', () => SECRET),
        await step('nothing', () => undefined),
        await step('write', () => SECRET, { transactional: true }),
        await step('loop', async (loop) => {
          const from = (loop.cursor as number | undefined) ?? 0;
          await loop.checkpoint(from + 1);
          expect(loop.cursor).toBe(from + 1);
          if (attempt === 1) {
            await takeFromWorker(bench);
            await loop.checkpoint(100);
          }
          return loop.cursor;
        }),
      );
      await checkpoint(SECRET);
    });
    expect(job.attempt).toBe(2);
    // The first attempt has lost its job before its results came together.
    expect(seen).toEqual([undefined, SECRET, undefined, SECRET, 2]);
    const rows = await bench.rows(TableQueueStep);
    expect(
      rows
        .filter(({ value }) => value !== null)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['', 'loop', 'pay', 'write']);
    for (const { value } of rows.filter((row) => row.value !== null)) {
      expect(value).toMatch(/^codec:key,/);
    }
  });

  test('results are given in the order of their numbers, also if one takes long to decode', async () => {
    const winners: unknown[] = [];
    const base = aes('key');
    let isSlow = false;
    const codec = made('key', {
      encode: (text, kind) => base.encode!(text, kind),
      decode: async (text, kind) => {
        const decoded = await base.decode(text, kind);
        await new Promise((resolve) => setTimeout(resolve, isSlow && decoded.includes('first') ? 100 : 0));
        return decoded;
      },
    });
    await run(codec, async ({ step, attempt }) => {
      const first = step('first', () => 'first');
      await first;
      const second = step('second', () => 'second');
      await second;
      if (attempt === 1) {
        isSlow = true;
        await takeFromWorker(bench);
        await step('lost', () => 1);
      }
      return 1;
    });
    expect(await stepsOf('step')).toHaveLength(2);
    await bench.stopWorkers();
    await bench.dataSource.query(
      `UPDATE tq_job SET state = 'ready', owner = 0, lane = 0, finished_at = 0, position = run_at`,
    );
    const queue = queueWith(bench, codec);
    await bench.work(
      [
        jobHandler(order, async (_payload, { step }) => {
          winners.push(await Promise.race([step('first', () => 'again'), step('second', () => 'again')]));
        }),
      ],
      {},
      queue,
    );
    await waitFor('it has run', () => winners.length > 0);
    expect(winners).toEqual(['first']);
  });

  test('errors of steps are encoded while the step is tried again, and after its last try', async () => {
    const queue = queueWith(bench, slow(aes('key')));
    await bench.work(
      [
        jobHandler(order, async (_payload, { step }) => {
          await step('pay', () => Promise.reject(new Error('card 4111 is refused')), {
            retry: { attempts: 2, backoff: fixed('1h') },
          });
        }),
      ],
      {},
      queue,
    );
    const { id } = await queue.enqueue(order);
    await bench.untilJobIs(id, 'scheduled');
    expect((await stepsOf('step'))[0]!.error).toMatch(/^codec:key,/);
    expect(await queue.steps(id)).toMatchObject([
      { failures: 1, error: { name: 'Error', message: 'card 4111 is refused' } },
    ]);
    expect(await bench.queue.steps(id)).toMatchObject([
      { error: { message: 'cannot be decoded: codec key is not known here' } },
    ]);
    await bench.dataSource.query('UPDATE tq_step SET due_at = 0');
    await queue.jobs.runNow([id]);
    await bench.untilJobIs(id, 'failed');
    expect((await queue.find(id))!.error).toMatch(
      /^StepFailedError: The step "pay" failed for good after 2 tries: card 4111/,
    );
    // Caught in a later attempt, it has its cause.
    await queue.failed.retry(id);
    await bench.untilJobIs(id, 'scheduled');
  });

  test('a failed step has the same cause in the next attempt', async () => {
    const causes: unknown[] = [];
    await run(aes('key'), async ({ step, attempt }) => {
      const pay = step('pay', () => Promise.reject(new Error('refused')), { retry: { attempts: 1 } });
      await pay.catch((error: StepFailedError) => causes.push(error.cause.message));
      if (attempt === 1) {
        await takeFromWorker(bench);
        await step('lost', () => 1);
      }
    });
    expect(causes).toEqual(['refused', 'refused']);
  });

  test('signals are encoded by their definition, or by the queue', async () => {
    const own = defineSignal<typeof SECRET>('own', { codec: slow(aes('signal')) });
    const queue = queueWith(bench, slow(aes('key')));
    const seen: unknown[] = [];
    await bench.work(
      [
        jobHandler(order, async (_payload, { waitForSignal, waitForAny, step, attempt }) => {
          seen.push((await waitForSignal(own)).data, await waitForAny({ text: 'text', other: 'other' }));
          if (attempt < 4) {
            await takeFromWorker(bench);
            await step('lost', () => 1);
          }
        }),
      ],
      { maintenance: { reaper: '50ms', retrier: '50ms' } },
      queue,
    );
    const { id } = await queue.enqueue(order);
    await bench.untilJobIs(id, 'waiting');
    // Not taken at once, so that its row is seen.
    await bench.dataSource.transaction(async (manager) => {
      await queue.signal(id, own, SECRET, { manager });
      await queue.signal(id, 'text', 'codec:x,y', { manager });
      const rows = await manager.find(TableQueueSignal);
      expect(rows.map(({ data }) => data!.slice(0, 10)).sort()).toEqual(['codec:key,', 'codec:sign']);
    });
    await bench.untilJobIs(id, 'succeeded');
    expect(seen.slice(-2)).toEqual([SECRET, { name: 'text', data: 'codec:x,y', sentAt: expect.any(Date) }]);
    const values = (await stepsOf('signal')).map(({ value }) => value!);
    expect(values).toEqual([
      expect.stringMatching(/^{"signal":"own","sentAt":\d+,"encoded":"codec:signal,/),
      expect.stringMatching(/^{"signal":"text","sentAt":\d+,"encoded":"codec:key,/),
    ]);
    const results = async (of = queue) =>
      (await of.steps(id, { results: true })).map(({ result }) => (result as { data: unknown }).data);
    expect(await results()).toEqual([SECRET, 'codec:x,y']);
    expect((await results(bench.queue))[1]).toBeInstanceOf(UndecodedValue);
  });

  test('a signal that cannot be encoded, or is too large as it is stored, is refused', async () => {
    const queue = queueWith(
      bench,
      made('long', { encode: (text) => (text === '"no"' ? (7 as never) : text.repeat(50)) }),
      {
        maxPayloadBytes: 100,
      },
    );
    const { id } = await queue.enqueue(order);
    await expect(queue.signal(id, 'text', 'no')).rejects.toThrow('could not encode the data of the signal "text"');
    const refused = queue.signal(id, 'text', 'abc');
    await expect(refused).rejects.toThrow(InvalidSignalError);
    await expect(refused).rejects.toThrow('it is 261 bytes as it is stored, the limit is 100');
    expect(await bench.rows(TableQueueSignal)).toEqual([]);
  });

  test('results and errors of children stay encoded until the parent reads them', async () => {
    const mine = defineJob<number>('mine', { codec: slow(aes('child')), retry: { attempts: 1 } });
    const handle = (number: number) => {
      if (number === 2) {
        throw new Error('card 4111 is refused');
      }
      return { double: number * 2 };
    };
    const seen: unknown[] = [];
    const queue = queueWith(bench, undefined);
    await bench.work(
      [
        jobHandler(order, async (_payload, { run: runOne, runAll, step, attempt }) => {
          const outcomes = await runAll('all', [child(mine, 1), child(mine, 2)], { outcomes: true });
          const one = await runOne('one', child(mine, 2)).catch((error: unknown) => error);
          seen.push(
            outcomes.map(({ id: _id, ...outcome }) => outcome),
            one,
          );
          if (attempt < 4) {
            await takeFromWorker(bench);
            await step('lost', () => 1);
          }
        }),
        jobHandler(mine, handle),
      ],
      { maintenance: { reaper: '50ms', retrier: '50ms' } },
      queue,
    );
    const { id } = await queue.enqueue(order);
    await bench.untilJobIs(id, 'succeeded');
    expect(seen.at(-2)).toEqual([
      { state: 'succeeded', result: { double: 2 } },
      { state: 'failed', error: 'Error: card 4111 is refused' },
    ]);
    expect(seen.at(-1)).toBeInstanceOf(ChildFailedError);
    expect((seen.at(-1) as ChildFailedError).reason).toBe('Error: card 4111 is refused');
    const [all, one] = await stepsOf('child');
    expect(all!.value).toMatch(/"encodedResult":"codec:child,.*"encodedError":"codec:child,/);
    expect([all!.value, one!.value, one!.error].join()).not.toMatch(/4111|double/);
    const [first] = await queue.steps(id, { results: true });
    expect(first!.result).toMatchObject([
      { result: { double: 2 } },
      { error: expect.stringMatching(/^Error: card 4111/) },
    ]);
  });

  test('a process without the codec of a step result leaves the job to another, and nothing is lost', async () => {
    const older = queueWith(bench, aes('old'));
    const newer = queueWith(bench, [aes('new'), aes('old')]);
    const calls: string[] = [];
    const handler = (stopAt: number) =>
      jobHandler(order, async (_payload, { step, sleep, attempt }) => {
        const result = await step('pay', () => (calls.push('pay'), SECRET));
        await sleep(attempt === stopAt ? '1h' : '1ms', { name: 'pause' });
        return result;
      });
    const { id } = await older.enqueue(order);
    const first = await bench.work([handler(1)], {}, newer);
    await bench.untilJobIs(id, 'scheduled');
    await first.stop();
    await bench.dataSource.query('UPDATE tq_step SET due_at = 0 WHERE due_at IS NOT NULL');
    await older.jobs.runNow([id]);

    const second = await bench.work([handler(0)], {}, older);
    const reasons: string[] = [];
    second.events.on('unhandled', (_job, _delay, reason) => reasons.push(reason));
    await waitFor('it is left', () => reasons.length > 0);
    await second.stop();
    expect(reasons[0]).toBe('unknown-codec');
    expect(await older.find(id)).toMatchObject({ state: 'scheduled', failures: 0, attempt: 2 });

    await newer.jobs.runNow([id]);
    await bench.work([handler(0)], {}, newer);
    await bench.untilJobIs(id, 'succeeded');
    expect((await newer.find(id))!.result).toEqual(SECRET);
    expect(calls).toEqual(['pay']);
  });

  test('a job that has run and is left to another process has started in time', async () => {
    const newer = queueWith(bench, [aes('new'), aes('old')]);
    const older = queueWith(bench, aes('old'));
    const { id } = await older.enqueue(order, undefined, { expiresIn: '1m' });
    await newer.signal(id, 'go', SECRET);
    const handler = jobHandler(order, async (_payload, { step, waitForSignal }) => {
      await step('pay', () => 'paid');
      return (await waitForSignal('go')).data;
    });
    const first = await bench.work([handler], {}, older);
    await waitFor('it is left', async () => (await older.find(id))?.state === 'scheduled');
    await first.stop();
    expect(await older.find(id)).toMatchObject({ failures: 0, expiresAt: undefined });

    bench.clock.advance(60_000);
    await bench.work([handler], {}, newer);
    await bench.untilJobIs(id, 'succeeded');
    expect((await newer.find(id))!.result).toEqual(SECRET);
  });

  test('the error of a child with a codec is not stored with a parent without one', async () => {
    const mine = defineJob('mine', { codec: aes('child'), retry: { attempts: 1 } });
    const once = defineJob('once', { retry: { attempts: 1 } });
    const messages: unknown[] = [];
    const queue = queueWith(bench, undefined);
    await bench.work(
      [
        jobHandler(once, async (_payload, { run: runOne }) => {
          await runOne('one', child(mine, undefined)).catch((error: ChildFailedError) => {
            messages.push(error.reason);
            throw new Error('it has failed', { cause: error });
          });
        }),
        jobHandler(mine, () => {
          throw new Error('the card of Ada is refused');
        }),
      ],
      {},
      queue,
    );
    const { id } = await queue.enqueue(once);
    await bench.untilJobIs(id, 'failed');
    expect(messages).toEqual(['Error: the card of Ada is refused']);
    expect(await columnsWith(bench, 'card of Ada')).toEqual([]);
    expect((await queue.find(id))!.error).toContain('caused by: ChildFailedError');
  });

  test('a step result that cannot be decoded fails the job, which goes on after the key is back', async () => {
    const calls: string[] = [];
    const handler = jobHandler(order, async (_payload, { step, waitForSignal }) => {
      const result = await step('pay', () => (calls.push('pay'), SECRET));
      await waitForSignal('go');
      return result;
    });
    const right = queueWith(bench, aes('key', 'right'));
    const wrong = queueWith(bench, aes('key', 'wrong'));
    const { id } = await right.enqueue(order);
    const first = await bench.work([handler], {}, right);
    await bench.untilJobIs(id, 'waiting');
    await first.stop();
    await right.signal(id, 'go');
    const second = await bench.work([handler], {}, wrong);
    const errors: Error[] = [];
    second.events.on('failed', (_job, error) => errors.push(error));
    await bench.untilJobIs(id, 'failed');
    await waitFor('the event', () => errors.length === 1);
    await second.stop();
    expect(errors[0]).toBeInstanceOf(DecodeFailedError);
    expect(errors[0]).toMatchObject({ codec: 'key', value: 'result of the step "pay"' });

    await right.failed.retry(id);
    await bench.work([handler], {}, right);
    await bench.untilJobIs(id, 'waiting');
    await right.signal(id, 'go');
    await bench.untilJobIs(id, 'succeeded');
    expect((await right.find(id))!.result).toEqual(SECRET);
    expect(calls).toEqual(['pay']);
  });

  test('a step whose result cannot be encoded fails for good: its work is done', async () => {
    const codec = made('broken', { encode: (text, kind) => (kind === 'step' ? (7 as never) : text) });
    let calls = 0;
    const job = await run(codec, ({ step }) => step('pay', () => ++calls), 'failed');
    expect(job.error).toMatch(
      /The step has ended, but its result cannot be stored: The codec "broken" could not encode the result of the step "pay"/,
    );
    expect(calls).toBe(1);
  });
});
