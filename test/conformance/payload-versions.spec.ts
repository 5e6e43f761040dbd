import { describe, expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  MissingUpcasterError,
  type Upcasters,
  UpcasterFailedError,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { Scheduler, TableQueueSchedule } from '@tablequeue/typeorm/internal';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const NAME = 'order.paid';
const first = defineJob<{ order: number; amount: string }>(NAME);
const second = defineJob<{ orderId: string; amount: string }>(NAME, { version: 2 });
const schema = z.object({ orderId: z.string(), cents: z.number() });
const upcasters = {
  1: (old: { order: number; amount: string }) => ({ orderId: String(old.order), amount: old.amount }),
  2: (old: { orderId: string; amount: string }) => ({
    orderId: old.orderId,
    cents: Math.round(Number(old.amount) * 100),
  }),
};
const third = defineJob(NAME, { version: 3, schema, upcasters });

const OLD = { order: 7, amount: '12.50' };
const NEW = { orderId: '7', cents: 1250 };

const make = () => 1;

describe('a definition', () => {
  const define = (version: number | undefined, given?: unknown) =>
    defineJob(NAME, { ...(version !== undefined && { version }), upcasters: given as Upcasters });

  test('has version 1 and no upcasters by default', () => {
    expect(defineJob(NAME)).toMatchObject({ version: 1, upcasters: {} });
    expect(third.version).toBe(3);
  });

  test('may have no upcasters for its oldest versions', () => {
    expect(Object.keys(define(4, { 3: make }).upcasters)).toEqual(['3']);
    expect(define(65_535).version).toBe(65_535);
  });

  test.each([
    ['a version of 0', 0, undefined, 'version', /from 1 to 65535/],
    ['a version that is too high', 65_536, undefined, 'version', /from 1 to 65535/],
    ['a version that is no number', '2', undefined, 'version', /from 1 to 65535/],
    ['a gap', 4, { 1: make, 3: make }, 'upcasters.2', /a payload of version 2 to version 3/],
    ['no upcaster from the last version', 3, { 1: make }, 'upcasters.2', /version 2 to version 3/],
    ['what is no function', 2, { 1: 'old' }, 'upcasters.1', /a function/],
    ['an upcaster from the present version', 2, { 1: make, 2: make }, 'upcasters.2', /has version 2 now/],
    ['upcasters without a version', undefined, { 1: make }, 'upcasters.1', /has version 1 now/],
    ['upcasters with an invalid version', 3, { 2: make, '1.5': make }, 'upcasters.1.5', /left out/],
    ['upcasters from version 0', 2, { 0: make, 1: make }, 'upcasters.0', /left out/],
    ['upcasters in an array', 2, [make], 'upcasters', /an object/],
  ])('is refused with %s', (_what, version, given, option, accepted) => {
    const refused = () => define(version as number, given);
    expect(refused).toThrow(InvalidOptionError);
    expect(refused).toThrow(accepted);
    expect(refused).toThrow(expect.objectContaining({ option }));
  });
});

describeEach('payloads of several versions', (engine) => {
  const bench = useWorkbench(engine);

  test('are made the present version, step by step, before the schema and the handler see them', async () => {
    const seen: unknown[] = [];
    const jobs = [
      await bench.queue.enqueue(first, OLD),
      await bench.queue.enqueue(second, { orderId: '7', amount: '12.50' }),
      await bench.queue.enqueue(third, NEW),
    ];
    await bench.work([jobHandler(third, (payload) => void seen.push(payload))]);
    for (const [index, { id }] of jobs.entries()) {
      // As it was stored.
      expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({
        payloadVersion: index + 1,
        payload: [OLD, { orderId: '7', amount: '12.50' }, NEW][index],
      });
    }
    expect(seen).toEqual([NEW, NEW, NEW]);
  });

  test('an upcaster may be asynchronous, of a job without a payload, and feed a transactional handler', async () => {
    const before = defineJob(NAME);
    const after = defineJob<number>(NAME, {
      version: 3,
      upcasters: { 1: async (nothing) => [nothing], 2: (list: unknown[]) => list.length },
    });
    const { id } = await bench.queue.enqueue(before);
    await bench.work([transactionalHandler(after, (payload) => ({ payload }))]);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: { payload: 1 }, payloadVersion: 1 });
  });

  test('one that is older than all upcasters fails at once, and runs after its upcaster is added again', async () => {
    const { id } = await bench.queue.enqueue(first, OLD);
    const forgetful = defineJob(NAME, { version: 3, schema, upcasters: { 2: upcasters[2] } });
    const worker = await bench.work([jobHandler(forgetful, () => 'not this one')]);
    const errors: Error[] = [];
    worker.events.on('failed', (_job, error) => errors.push(error));
    expect(await bench.untilJobIs(id, 'failed')).toMatchObject({ attempt: 1, failures: 1, payload: OLD });
    await waitFor('it has failed', () => errors.length === 1);
    expect(errors[0]).toBeInstanceOf(MissingUpcasterError);
    expect(errors[0]).toMatchObject({ jobName: NAME, version: 1, currentVersion: 3 });
    expect(errors[0]?.message).toContain('no upcaster from 1 to 2');
    await worker.stop();

    expect((await bench.queue.failed.list()).jobs).toMatchObject([{ id, payloadVersion: 1 }]);
    await bench.queue.failed.retry(id);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', payload: OLD, payloadVersion: 1 });
    await bench.work([jobHandler(third, (payload) => payload)]);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: NEW, payloadVersion: 1 });
  });

  test.each([
    [
      'throws',
      () => {
        throw new RangeError('no such order');
      },
    ],
    ['rejects', () => Promise.reject(new RangeError('no such order'))],
  ])('an upcaster that %s ends the job without a retry', async (_how, upcaster) => {
    const broken = defineJob(NAME, { version: 2, upcasters: { 1: upcaster }, retry: { attempts: 5 } });
    const { id } = await bench.queue.enqueue(first, OLD);
    const worker = await bench.work([jobHandler(broken, () => 'not this one')]);
    const errors: Error[] = [];
    worker.events.on('failed', (_job, error) => errors.push(error));
    const { error } = await bench.untilJobIs(id, 'failed');
    expect(error).toContain('The upcaster of job "order.paid" from version 1 to 2 failed.');
    expect(error).toContain('caused by: RangeError: no such order');
    await waitFor('it has failed', () => errors.length === 1);
    expect(errors[0]).toBeInstanceOf(UpcasterFailedError);
  });

  test('the payload that upcasters return is validated by the schema', async () => {
    const { id } = await bench.queue.enqueue(first, { order: 7, amount: 'a lot' });
    await bench.work([jobHandler(third, () => 'not this one')]);
    const { error, failures } = await bench.untilJobIs(id, 'failed');
    expect(error).toContain('InvalidPayloadError');
    expect(failures).toBe(1);
  });

  test('a newer one is not run by an older process, which reports it as unhandled', async () => {
    // One crash would be enough for an older process to fail a job of its own.
    const careless = defineJob<unknown>(NAME, { retry: { crashes: 1 } });
    const ran: unknown[] = [];
    const olderProcess = await bench.work([jobHandler(careless, (payload) => void ran.push(payload))]);
    const unhandled: unknown[] = [];
    olderProcess.events.on('unhandled', (job, delay, reason) => unhandled.push([job.id, reason, delay > 0]));
    await bench.queue.control.pause('default');
    const { id } = await bench.queue.enqueue(third, NEW);
    await bench.dataSource.query('UPDATE tq_job SET crashes = 1');
    await bench.queue.control.resume('default');
    await waitFor('it is reported', () => unhandled.length === 1);
    expect(unhandled).toEqual([[id, 'newer-payload', true]]);
    expect(await bench.queue.find(id)).toMatchObject({
      state: 'scheduled',
      attempt: 1,
      failures: 0,
      error: undefined,
      payloadVersion: 3,
    });
    const warnings = bench.logger.lines.filter((line) => line.includes(NAME));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/payload of version 3, .* reads versions up to 1\. .* newer deployment/);

    await olderProcess.stop();
    await bench.work([jobHandler(third, (payload) => payload)]);
    bench.clock.advance('10s');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: NEW, failures: 0 });
    expect(ran).toEqual([]);
  });

  test('a process claims each newer one once until its delay is over, warns once, and runs the others', async () => {
    const newer = 60;
    await bench.queue.enqueueMany(
      third,
      Array.from({ length: newer }, () => ({ payload: NEW })),
    );
    const { id } = await bench.queue.enqueue(first, OLD, { priority: 1 });
    const waits: number[] = [];
    const worker = bench.worker([jobHandler(first, () => undefined)], { concurrency: 20 });
    worker.events.on('unhandled', (_job, delay) => waits.push(delay));
    await worker.start();
    await bench.untilJobIs(id, 'succeeded');
    await waitFor('all are reported', () => waits.length === newer);
    const attempts = async () => (await bench.liveJobs()).map(({ attempt }) => attempt);
    expect(await attempts()).toEqual(Array.from({ length: newer }, () => 1));
    expect(bench.logger.lines.filter((line) => line.includes('payload of version 3'))).toHaveLength(1);

    bench.clock.advance('6s');
    await waitFor('all are reported again', () => waits.length === 2 * newer);
    expect(waits).toEqual(Array.from({ length: 2 * newer }, (_each, index) => (index < newer ? 5_000 : 10_000)));
    bench.clock.advance('5s');
    const again = await bench.queue.enqueue(first, OLD);
    await bench.untilJobIs(again.id, 'succeeded');
    expect(await attempts()).toEqual(Array.from({ length: newer }, () => 2));
  });

  test('calls of enqueue that share a statement keep their versions', async () => {
    const [one, two, three] = await Promise.all([
      bench.queue.enqueue(first, OLD),
      bench.queue.enqueue(third, NEW, { unique: { key: 'k' } }),
      bench.queue.enqueue(third, NEW),
    ]);
    const versions = await Promise.all([one, two, three].map(async ({ id }) => bench.queue.find(id)));
    expect(versions.map((job) => job?.payloadVersion)).toEqual([1, 3, 3]);
  });

  test('a unique job that is replaced gets the version with the payload', async () => {
    const unique = { key: 'k', while: 'queued', onConflict: 'replace' } as const;
    const { id } = await bench.queue.enqueue(third, NEW, { unique });
    expect(await bench.queue.enqueue(first, OLD, { unique })).toMatchObject({ id, replaced: true });
    expect(await bench.queue.find(id)).toMatchObject({ payload: OLD, payloadVersion: 1 });
    await bench.queue.enqueue(third, NEW, { unique });
    expect(await bench.queue.find(id)).toMatchObject({ payload: NEW, payloadVersion: 3 });
  });

  test('keep their version when they are cancelled, retried by hand, or retried after a failure', async () => {
    const { id } = await bench.queue.enqueue(third, NEW, { delay: '1h' });
    await bench.queue.cancel(id);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'cancelled', payloadVersion: 3 });
    await bench.queue.failed.retry(id);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', payload: NEW, payloadVersion: 3 });

    const failing = defineJob(NAME, { version: 3, schema, upcasters, retry: { attempts: 2, backoff: fixed('1h') } });
    const { id: other } = await bench.queue.enqueue(failing, NEW);
    await bench.work([jobHandler(failing, () => Promise.reject(new Error('not now')))]);
    expect(await bench.untilJobIs(other, 'scheduled')).toMatchObject({ failures: 1, payloadVersion: 3 });
    bench.clock.advance('2h');
    expect(await bench.untilJobIs(other, 'failed')).toMatchObject({ failures: 2, payloadVersion: 3 });
  });

  test('a schedule stores the version of its payload, and its jobs have that version', async () => {
    const { recurring } = bench.queue;
    const hourly = { every: '1h' } as const;
    await recurring.set('paid', second, { orderId: '7', amount: '1' }, hourly);
    await recurring.set('paid', third, NEW, hourly);
    expect(await recurring.list()).toMatchObject([{ name: 'paid', payload: NEW, payloadVersion: 3 }]);
    const fired = await recurring.fireNow('paid');
    expect(await bench.queue.find(fired!.id)).toMatchObject({ payload: NEW, payloadVersion: 3 });

    bench.clock.advance('61m');
    await new Scheduler(bench.queue.engine, recurring, bench.logger).runOnce();
    const [schedule] = await bench.rows(TableQueueSchedule);
    expect(await bench.queue.find(schedule!.lastJobId!)).toMatchObject({ payload: NEW, payloadVersion: 3 });
    expect(schedule!.lastJobId).not.toBe(fired!.id);

    // The same text in another version is another payload.
    await recurring.set('paid', defineJob<unknown>(NAME, { version: 4 }), NEW, hourly);
    expect(await recurring.list()).toMatchObject([{ payloadVersion: 4 }]);
  });
});
