import { expect, test } from '@jest/globals';
import {
  DecodeFailedError,
  JobFailedError,
  SnoozeJobError,
  TableQueueJob,
  UndecodedValue,
  UnknownCodecError,
  batchHandler,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { Scheduler, TableQueueErrorRow, TableQueueSchedule } from '@tablequeue/typeorm/internal';

import { aes, made, queueWith, slow } from '../support/codecs.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob<{ to: string }>('mail', { retry: { attempts: 3, backoff: fixed('1h') } });
const ADA = { to: 'ada@example.org' };

describeEach('keys of codecs', (engine) => {
  const bench = useWorkbench(engine);

  const stored = async (id: string) => (await bench.rows(TableQueueJob)).find((row) => row.id === id)!;

  test('the key is changed while jobs wait: the first encodes, all decode', async () => {
    const before = queueWith(bench, aes('2025'));
    const after = queueWith(bench, [aes('2026'), aes('2025')]);
    const { id: old } = await before.enqueue(mail, ADA);
    const { id: young } = await after.enqueue(mail, ADA);
    await bench.work([jobHandler(mail, (payload) => payload)], {}, after);
    for (const id of [old, young]) {
      await bench.untilJobIs(id, 'succeeded');
      expect(await after.find(id)).toMatchObject({ payload: ADA, result: ADA });
    }
    // The payload has the old key, the result the new one.
    expect(await stored(old)).toMatchObject({
      payload: expect.stringMatching(/^codec:2025,/),
      result: expect.stringMatching(/^codec:2026,/),
    });
    expect((await stored(young)).payload).toMatch(/^codec:2026,/);
  });

  test('a codec without encode only decodes, so that a codec can be given up', async () => {
    const before = queueWith(bench, aes('old'));
    const { id: old } = await before.enqueue(mail, ADA);
    const after = queueWith(bench, { ...aes('old'), encode: undefined });
    const { id: young } = await after.enqueue(mail, ADA);
    expect((await stored(young)).payload).toBe(JSON.stringify(ADA));
    expect((await after.find(old))!.payload).toEqual(ADA);
  });

  test.each(['handler', 'transactional', 'batch'])('a %s leaves jobs of a codec it lacks to others', async (kind) => {
    const older = queueWith(bench, aes('old'));
    const newer = queueWith(bench, [aes('new'), aes('old')]);
    const { id } = await newer.enqueue(mail, ADA);
    const handlers = {
      handler: jobHandler(mail, () => 'not this one'),
      transactional: transactionalHandler(mail, () => 'not this one'),
      batch: batchHandler(mail, () => undefined),
    };
    const worker = await bench.work(
      [handlers[kind as keyof typeof handlers]],
      { maintenance: { retrier: '50ms' } },
      older,
    );
    const unhandled: unknown[] = [];
    worker.events.on('unhandled', (job, delay, reason) => unhandled.push([job.id, reason, delay]));
    await waitFor('it is left', () => unhandled.length > 0);
    expect(unhandled[0]).toEqual([id, 'unknown-codec', 5_000]);
    await worker.stop();
    expect(await stored(id)).toMatchObject({ state: 'scheduled', failures: 0, lastError: null });
    expect(bench.logger.lines.join('\n')).toContain('written by the codec "new", which this process does not have');
    expect(await bench.rows(TableQueueErrorRow)).toEqual([]);

    await newer.jobs.runNow([id]);
    await bench.work([jobHandler(mail, (payload) => payload)], {}, newer);
    await bench.untilJobIs(id, 'succeeded');
    expect(await newer.find(id)).toMatchObject({ result: ADA });
  });

  test.each(['handler', 'transactional', 'batch'])(
    'a job of a %s that cannot be decoded fails at once',
    async (kind) => {
      const right = queueWith(bench, aes('key', 'right'));
      const wrong = queueWith(bench, aes('key', 'wrong'));
      const { id } = await right.enqueue(mail, ADA);
      const handlers = {
        handler: jobHandler(mail, () => 'not called'),
        transactional: transactionalHandler(mail, () => 'not called'),
        batch: batchHandler(mail, () => undefined),
      };
      const worker = await bench.work([handlers[kind as keyof typeof handlers]], {}, wrong);
      const errors: Error[] = [];
      worker.events.on('failed', (_job, error) => errors.push(error));
      await bench.untilJobIs(id, 'failed');
      await waitFor('the event', () => errors.length === 1);
      await worker.stop();
      expect(errors[0]).toBeInstanceOf(DecodeFailedError);
      expect(errors[0]).toMatchObject({ codec: 'key', value: 'payload of job "mail"' });
      expect(errors[0]?.message).toMatch(/could not decode the payload of job "mail".*retry the job with/);

      // The key is back.
      expect(await right.failed.retry(id)).toBe(true);
      await bench.work([jobHandler(mail, (payload) => payload)], {}, right);
      await bench.untilJobIs(id, 'succeeded');
      expect(await right.find(id)).toMatchObject({ result: ADA, attempt: 2 });
    },
  );

  test('a codec that may succeed later snoozes the job', async () => {
    let isDown = true;
    const queue = queueWith(
      bench,
      made('store', {
        decode: (text) => {
          if (isDown) {
            throw new SnoozeJobError('1h');
          }
          return text;
        },
      }),
    );
    const { id } = await queue.enqueue(mail, ADA);
    await bench.work([jobHandler(mail, () => 'done')], {}, queue);
    await bench.untilJobIs(id, 'scheduled');
    isDown = false;
    expect(await stored(id)).toMatchObject({ failures: 0, attempt: 1 });
    await queue.jobs.runNow([id]);
    await bench.untilJobIs(id, 'succeeded');
  });

  test.each<[string, (text: string) => unknown, RegExp]>([
    ['no text', () => 7, /it returned number instead of a string/],
    ['no JSON', () => '{"to"', /it returned no JSON/],
  ])('a decode that returns %s fails the job', async (_what, decode, message) => {
    const queue = queueWith(bench, made('bad', { decode: decode as () => string }));
    const { id } = await queue.enqueue(mail, ADA);
    await bench.work([jobHandler(mail, () => 'not called')], {}, queue);
    expect((await bench.untilJobIs(id, 'failed')).failures).toBe(1);
    const good = queueWith(bench, made('bad', {}));
    expect((await good.find(id))!.error).toMatch(message);
  });

  test('what this process cannot decode is shown as such, and other values are read', async () => {
    const failing = defineJob<{ to: string }>('failing', { retry: { attempts: 1 } });
    const secret = queueWith(bench, aes('key', 'right'));
    const { id } = await secret.enqueue(failing, ADA, { key: 'k' });
    await bench.work(
      [
        jobHandler(failing, (_payload, job) => {
          job.progress({ page: 1 });
          throw new Error('a secret reason');
        }),
      ],
      {},
      secret,
    );
    await bench.untilJobIs(id, 'failed');
    for (const [queue, why] of [
      [bench.queue, 'cannot be decoded: codec key is not known here'],
      [queueWith(bench, aes('key', 'wrong')), 'cannot be decoded: codec key has failed'],
    ] as const) {
      const job = (await queue.find(id))!;
      for (const value of [job.payload, job.progress]) {
        expect(value).toBeInstanceOf(UndecodedValue);
        expect(value).toMatchObject({ codec: 'key' });
        expect(String(value)).toBe(why);
      }
      expect(JSON.parse(JSON.stringify(job))).toMatchObject({ payload: why, progress: why, error: why });
      expect(job.errors).toMatchObject([{ error: why }]);
      expect((await queue.findByKey('k'))[0]).toMatchObject({ error: why });
      expect((await queue.jobs.find(id))!.errors).toMatchObject([{ error: why }]);
      expect((await queue.jobs.list({ state: 'failed' })).jobs[0]).toMatchObject({ error: why });
      expect((await queue.failed.list()).jobs[0]).toMatchObject({ error: why });
      const waiting = queue.waitFor(id);
      await expect(waiting).rejects.toThrow(JobFailedError);
      await expect(waiting).rejects.toThrow(why);
    }
    const listed = (await secret.jobs.list({ state: 'failed' })).jobs[0]!;
    expect(listed).toMatchObject({ progress: { page: 1 }, error: expect.stringMatching(/^Error: a secret reason\n/) });
    expect(listed.error!.length).toBeLessThanOrEqual(1_000);
    expect((await secret.failed.list()).jobs[0]).toMatchObject({ payload: ADA, errors: [{ attempt: 1 }] });
    await expect(secret.waitFor(id)).rejects.toThrow('a secret reason');
  });

  test('a result that this process cannot decode rejects its wait, and no other', async () => {
    const secret = queueWith(bench, aes('key', 'right'));
    const { id } = await secret.enqueue(mail, ADA);
    const { id: plain } = await bench.queue.enqueue(defineJob('plain'));
    await bench.work([jobHandler(mail, () => 'result'), jobHandler(defineJob('plain'), () => 1)], {}, secret);
    await bench.untilJobIs(id, 'succeeded');
    await bench.untilJobIs(plain, 'succeeded');
    await expect(bench.queue.waitFor(id)).rejects.toThrow(UnknownCodecError);
    await expect(queueWith(bench, aes('key', 'wrong')).waitFor(id)).rejects.toThrow(DecodeFailedError);
    expect(await secret.waitFor(plain)).toBe(1);
  });

  test('a result, a progress or an error that cannot be encoded is left out, and nothing of it is stored', async () => {
    const failing = defineJob('failing', { retry: { attempts: 1 } });
    const broken = (text: string) => {
      throw new Error(`cannot encode ${text}`);
    };
    const queue = queueWith(bench, [
      made('broken', { encode: (text, kind) => (kind === 'payload' ? text : broken(text)) }),
    ]);
    const { id } = await queue.enqueue(mail, ADA);
    const { id: failed } = await queue.enqueue(failing);
    await bench.work(
      [
        jobHandler(mail, (_payload, job) => (job.progress('a secret'), 'a secret')),
        jobHandler(failing, () => {
          throw new Error('a secret');
        }),
      ],
      {},
      queue,
    );
    await bench.untilJobIs(id, 'succeeded');
    await bench.untilJobIs(failed, 'failed');
    expect(await stored(id)).toMatchObject({ result: null, progress: null });
    expect((await stored(id)).lastError).toMatch(/^The result was not stored: its codec could not encode it/);
    expect((await stored(failed)).lastError).toBe(
      'The error was left out, because the codec "broken" could not encode it.',
    );
    expect(bench.logger.lines.join('\n')).toMatch(/Job "mail" has succeeded. The result was not stored/);
  });

  test('a result that is too large as it is stored is left out', async () => {
    const text = defineJob<string>('text');
    const queue = queueWith(
      bench,
      made('long', { encode: (json, kind) => (kind === 'result' ? json.repeat(50) : json) }),
      {
        maxPayloadBytes: 100,
      },
    );
    const { id } = await queue.enqueue(text, 'abc');
    await bench.work([jobHandler(text, (payload) => payload)], {}, queue);
    await bench.untilJobIs(id, 'succeeded');
    expect(await stored(id)).toMatchObject({ result: null });
    expect(bench.logger.lines.join('\n')).toMatch(/it is 261 bytes, encoded by codec "long", the limit is 100/);
  });

  test('the limit of a progress is its size as it is stored', async () => {
    const codec = made('half', {
      encode: (text, kind) =>
        kind !== 'progress' ? undefined : text.includes('grows') ? text.repeat(20) : text.slice(0, 10),
    });
    const queue = queueWith(bench, codec, { maxPayloadBytes: 100 });
    const report = async (value: string) => {
      const { id } = await queue.enqueue(mail, ADA);
      await bench.untilJobIs(id, 'succeeded');
      return (await stored(id)).progress ?? value;
    };
    const values = ['grows', 'shrinks '.repeat(50)];
    await bench.work([jobHandler(mail, (_payload, job) => job.progress(values[0]))], {}, queue);
    expect(await report('none')).toBe('none');
    expect(bench.logger.lines.join()).toContain('it is 151 bytes, encoded by codec "half", the limit is 100');
    values.shift();
    expect(await report('none')).toBe('codec:half,"shrinks s');
  });

  test('the progress of several jobs is encoded side by side', async () => {
    let together = 0;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const codec = made('key', {
      encode: async (text, kind) => {
        if (kind === 'progress') {
          together++;
          await held;
        }
        return text;
      },
    });
    const queue = queueWith(bench, codec);
    const work = jobHandler(mail, async (_payload, job) => {
      job.progress(1);
      await held;
    });
    const jobs = [await queue.enqueue(mail, ADA), await queue.enqueue(mail, ADA)];
    await bench.work([work], {}, queue);
    await waitFor('both are encoded', () => together === 2).finally(() => release());
    await Promise.all(jobs.map(({ id }) => bench.untilJobIs(id, 'succeeded')));
  });

  test('the running jobs of a worker show their progress', async () => {
    const queue = queueWith(bench, slow(aes('key')));
    const { id } = await queue.enqueue(mail, ADA);
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    await bench.work([jobHandler(mail, (_payload, job) => (job.progress({ page: 1 }), held))], {}, queue);
    const running = async (of = queue) => (await of.activity.workers())[0]?.running[0];
    await waitFor('the progress is stored', async () => (await running())?.progress !== undefined);
    expect(await running()).toMatchObject({ id, progress: { page: 1 } });
    expect((await running(bench.queue))!.progress).toBeInstanceOf(UndecodedValue);
    expect((await stored(id)).progress).toMatch(/^codec:key,/);
    end();
    await bench.untilJobIs(id, 'succeeded');
    expect(await queue.find(id)).toMatchObject({ progress: { page: 1 } });
  });

  test('a schedule is not written again at each start, and its jobs have its payload', async () => {
    const queue = queueWith(bench, slow(aes('2025')));
    const set = (given = queue, payload = ADA) => given.recurring.set('hourly', mail, payload, { every: '1h' });
    const row = async () => (await bench.rows(TableQueueSchedule))[0]!;
    await set();
    const { payload: first } = await row();
    expect(first).toMatch(/^codec:2025,/);
    await set();
    expect((await row()).payload).toBe(first);
    expect(await queue.recurring.list()).toMatchObject([{ name: 'hourly', payload: ADA }]);
    expect((await bench.queue.recurring.list())[0]!.payload).toBeInstanceOf(UndecodedValue);

    const { id } = (await queue.recurring.fireNow('hourly'))!;
    bench.clock.advance('1h');
    await new Scheduler(bench.queue.engine, bench.queue.recurring, bench.logger).runOnce();
    const jobs = await bench.rows(TableQueueJob);
    expect(jobs.map(({ payload }) => payload)).toEqual([first, first]);
    expect(await queue.find(id)).toMatchObject({ payload: ADA });

    // Changed payload, changed key, lost key.
    await set(queue, { to: 'bob@example.org' });
    const second = (await row()).payload;
    expect(second).not.toBe(first);
    await set(queueWith(bench, [aes('2026'), aes('2025')]), { to: 'bob@example.org' });
    expect((await row()).payload).toMatch(/^codec:2026,/);
    await set(queueWith(bench, aes('2026', 'lost')), ADA);
    expect((await row()).payload).not.toBe(second);
  });
});
