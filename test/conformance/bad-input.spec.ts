import { afterEach, describe, expect, test } from '@jest/globals';
import {
  DataSourceNotInitializedError,
  InvalidNameError,
  InvalidOptionError,
  InvalidPayloadError,
  PayloadTooLargeError,
  TableQueue,
  TableQueueWorker,
  UnknownOptionError,
  UnserializablePayloadError,
  defineJob,
  exponential,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';
import { type } from 'arktype';
import { DataSource } from 'typeorm';
import * as v from 'valibot';
import { z } from 'zod';

import { connectionOptions } from '../support/connection-options.js';
import { describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useWorkbench } from '../support/use-workbench.js';

const anything = defineJob<unknown>('anything');

describeEach('bad input', (engine) => {
  afterEach(async () => expect(await bench.liveJobs()).toEqual([]));
  const bench = useWorkbench(engine);

  test.each([
    ['zod', z.object({ to: z.email() })],
    ['valibot', v.object({ to: v.pipe(v.string(), v.email()) })],
    ['arktype', type({ to: 'string.email' })],
  ])('a payload that its %s schema refuses', async (_library, schema) => {
    const mail = defineJob('mail', { schema });
    const refused = bench.queue.enqueue(mail, { to: 'nobody' });
    await expect(refused).rejects.toThrow(InvalidPayloadError);
    await expect(refused).rejects.toThrow(/job "mail" does not match its schema: to: /);
    await expect(refused).rejects.toMatchObject({ jobName: 'mail', issues: [{ path: 'to' }] });
  });

  test('a payload that passes its schema only before it was JSON', async () => {
    const dated = defineJob('dated', { schema: z.object({ at: z.date() }) });
    await expect(bench.queue.enqueue(dated, { at: new Date() })).rejects.toThrow(InvalidPayloadError);
  });

  test('one bad payload of many stores none, and is named', async () => {
    const mail = defineJob('mail', { schema: z.object({ to: z.email() }) });
    const jobs = ['a@example.com', 'nobody'].map((to) => ({ payload: { to } }));
    await expect(bench.queue.enqueueMany(mail, jobs)).rejects.toThrow(InvalidPayloadError);
    await expect(bench.queue.enqueueMany(anything, [{ payload: 1 }, { payload: 2, delay: -1 }])).rejects.toThrow(
      /"jobs\[1\]\.delay" is -1/,
    );
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  test.each([
    ['a BigInt', { amount: 1n }, /BigInt/],
    ['a cycle', cycle, /circular/i],
    ['a function', { run: () => 1 }, /"run" is a function/],
    ['a symbol', { kind: Symbol('x') }, /"kind" is a symbol/],
    ['NaN', { amount: Number.NaN }, /"amount" is NaN/],
    ['Infinity', [Infinity], /"0" is Infinity/],
    ['a Map', { map: new Map([[1, 2]]) }, /"map" is a Map/],
    ['a Date without a schema that reads it', { at: new Date() }, /"at" is a Date.*schema/],
    ['an Error', { error: new TypeError('x') }, /"error" is a TypeError/],
    ['a Buffer', { bytes: Buffer.from('x') }, /"bytes" is a Buffer/],
    ['a hole in an array', [1, undefined], /"1" is undefined, in an array/],
    ['a function as the payload', () => 1, /the payload itself is a function/],
  ])('a payload with %s, which JSON would change', async (_what, payload, reason) => {
    const refused = bench.queue.enqueue(anything, payload);
    await expect(refused).rejects.toThrow(UnserializablePayloadError);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toThrow(/job "anything" cannot be stored as JSON.*Pass plain data/s);
  });

  test('a payload above the limit, in bytes', async () => {
    const small = new TableQueue(bench.dataSource, { maxPayloadBytes: 20 });
    await expect(small.enqueue(anything, 'ü'.repeat(10))).rejects.toThrow(PayloadTooLargeError);
    await expect(small.enqueue(anything, 'ü'.repeat(10))).rejects.toThrow(/is 22 bytes of JSON, the limit is 20/);
    // As many bytes as a letter has at most.
    await expect(small.enqueue(anything, '€'.repeat(7))).rejects.toThrow(/is 23 bytes of JSON, the limit is 20/);
    const { id } = await small.enqueue(anything, 'ü'.repeat(9));
    expect((await small.find(id))?.payload).toBe('ü'.repeat(9));
    await small.cancel(id);
  });

  test.each([
    ['a negative delay', { delay: -1 }, InvalidOptionError, /"delay" is -1.*at least 0 ms/],
    ['a delay that is no number', { delay: Number.NaN }, InvalidOptionError, /"delay" is NaN/],
    ['a delay of an unknown unit', { delay: '5 parsecs' }, InvalidOptionError, /"delay" is '5 parsecs'/],
    ['a delay of centuries', { delay: '50000d' }, InvalidOptionError, /at most 36500 days/],
    ['an invalid date', { runAt: new Date('never') }, InvalidOptionError, /"runAt".*valid Date/],
    ['a time beyond 2286', { runAt: new Date(1e13) }, InvalidOptionError, /"runAt".*before the year 2286/],
    ['no options at all', null, InvalidOptionError, /"options" is null/],
    ['delay and runAt', { delay: 1, runAt: new Date() }, InvalidOptionError, /"runAt".*where "delay" is given/],
    ['half a priority', { priority: 1.5 }, InvalidOptionError, /"priority" is 1.5.*from -500 to 500/],
    ['a priority out of range', { priority: 501 }, InvalidOptionError, /"priority" is 501/],
    ['an empty key', { key: '' }, InvalidNameError, /'' is not a valid key/],
    ['a key of 192 characters', { key: 'k'.repeat(192) }, InvalidNameError, /1 to 191 characters, without/],
    ['a key of 96 emoji', { key: '🦊'.repeat(96) }, InvalidNameError, /191 characters \(an emoji counts as two\), wi/],
    ['a key with a NUL', { key: 'a\0b' }, InvalidNameError, /without NUL/],
    ['a key with a lone surrogate', { key: 'a\ud800' }, InvalidNameError, /lone surrogates/],
    ['a key with a space at its end', { key: 'order:1 ' }, InvalidNameError, /a space at the end/],
    ['an unknown option', { dealy: 5 }, UnknownOptionError, /no option "dealy". Did you mean "delay"\?/],
    ['an option of BullMQ', { attempts: 3 }, UnknownOptionError, /no option "attempts". Use "retry.attempts" of/],
    ['another one', { jobId: 'a' }, UnknownOptionError, /no option "jobId". Use "unique.key" to store/],
    ['a third one', { removeOnComplete: true }, UnknownOptionError, /Use "retention.succeeded" of the worker/],
  ])('%s', async (_what, options, errorClass, message) => {
    const refused = bench.queue.enqueue(anything, 1, options as object);
    await expect(refused).rejects.toThrow(errorClass);
    await expect(refused).rejects.toThrow(message);
  });

  test.each([
    [{ to: 'ada' }, /no option "jobs\[0\]\.to"\. Wrap the payload of each job: \{ payload: \{ … \} \}/],
    ['ada', /"jobs\[0\]" is '\[object String\]', but must be an object with the payload of the job: \{ payload: … \}/],
    [['ada'], /"jobs\[0\]" is '\[object Array\]'/],
    [{ payload: 1, attempts: 3 }, /no option "jobs\[0\]\.attempts"\. Use "retry.attempts"/],
    [{ payload: 1, to: 'ada' }, /no option "jobs\[0\]\.to"\. Remove it, or use one of: payload, delay/],
  ])('a job of enqueueMany that is %j', async (job, message) => {
    await expect(bench.queue.enqueueMany(anything, [job as never])).rejects.toThrow(message);
  });

  test('no options at all, in any call', async () => {
    const none = null as never;
    const id = '0190b0f0-0000-7000-8000-000000000000';
    for (const call of [
      () => bench.queue.enqueueMany(anything, [], none),
      () => bench.queue.cancel(id, none),
      () => bench.queue.cancelByKey('k', none),
      () => bench.queue.cancelMany(none),
      () => bench.queue.find(id, none),
      () => bench.queue.findByKey('k', none),
      () => bench.queue.waitFor(id, none),
      () => bench.queue.health(none),
      () => bench.queue.groups.enqueue(none),
      () => bench.queue.groups.find(id, none),
      () => bench.queue.failed.list(none),
      () => bench.queue.failed.retry(id, none),
      () => bench.queue.failed.retryMany(none),
      () => bench.queue.jobs.list(none),
      () => bench.queue.jobs.cancel(id, none),
      () => bench.queue.jobs.logs(id, none),
      () => bench.queue.jobs.cancel({ state: 'ready' }, none),
      () => bench.queue.control.pause('default', none),
      () => bench.queue.control.limit('default', none),
      () => bench.queue.activity.workers(none),
      () => bench.queue.activity.audit(none),
      () => bench.queue.bulk.list(none),
    ]) {
      await expect(call()).rejects.toThrow(/The option "options" is null, but must be an object/);
    }
  });

  test('a key of any other text is stored and found exactly', async () => {
    const keys = ["o'brien", 'a\\b"c`d', '🦊'.repeat(95), 'Order:1', 'order:1', ' leading'];
    for (const key of keys) {
      await bench.queue.enqueue(anything, key, { key });
    }
    for (const key of keys) {
      expect((await bench.queue.findByKey(key)).map(({ payload }) => payload)).toEqual([key]);
      expect(await bench.queue.cancelByKey(key)).toEqual({ cancelled: 1, requested: 0 });
    }
  });

  test('a manager or a query runner of another data source', async () => {
    const other = await bench.database.connect();
    const manager = other.manager;
    await expect(bench.queue.enqueue(anything, 1, { manager })).rejects.toThrow(/"manager".*queue's own data source/);
    const queryRunner = other.createQueryRunner();
    await expect(bench.queue.enqueue(anything, 1, { queryRunner })).rejects.toThrow(InvalidOptionError);
    await queryRunner.release();
    await other.destroy();
  });

  test('an invalid definition', async () => {
    await expect(bench.queue.enqueue('mail' as never, 1 as never)).rejects.toThrow(/"definition" is 'mail'/);
    await expect(bench.queue.cancelByKey('k', { only: 'mail' as never })).rejects.toThrow(/"only" is 'mail'/);
  });

  test('an id that is none', async () => {
    await expect(bench.queue.find('4711')).rejects.toThrow(/"id" is '4711'.*UUID/);
    await expect(bench.queue.cancel('4711')).rejects.toThrow(InvalidOptionError);
  });

  test('an invalid data source, without its password in the error', () => {
    const options = { type: 'mysql', password: 'secret' } as never;
    expect(() => new TableQueue(options)).toThrow(/"dataSource" is '\[object Object\]', but must be a DataSource/);
    expect(() => new TableQueue(undefined as never)).toThrow(/"dataSource" is '\[object Undefined\]'/);
  });

  test('a data source that is not connected', () => {
    const dataSource = new DataSource(connectionOptions(engine, bench.database.url));
    expect(() => new TableQueue(dataSource)).toThrow(DataSourceNotInitializedError);
    expect(() => new TableQueue(dataSource)).toThrow(/await dataSource.initialize\(\)/);
  });

  test('a stored payload that the current schema rejects fails without a retry, and stays stored', async () => {
    const { id } = await bench.queue.enqueue(defineJob<object>('mail'), { to: 'nobody' });
    const stricter = defineJob('mail', { schema: z.object({ to: z.email() }) });
    await bench.work([jobHandler(stricter, () => 'sent')]);
    const job = await bench.untilJobIs(id, 'failed');
    expect(job).toMatchObject({ attempt: 1, payload: { to: 'nobody' } });
    expect(job.error).toContain('does not match its schema: to:');
  });
});

describe('bad definitions', () => {
  test.each([
    ['an empty name', ''],
    ['a blank', 'send mail'],
    ['letters outside ASCII', 'größe'],
    ['a leading dot', '.mail'],
    ['129 characters', 'm'.repeat(129)],
  ])('a job name with %s', (_what, name) => {
    expect(() => defineJob(name)).toThrow(InvalidNameError);
    expect(() => defineJob(name)).toThrow(/not a valid job name: use 1 to 128 of the characters/);
  });

  test('a bad queue name, and options that are unknown or out of range', () => {
    expect(() => defineJob('a', { queue: 'two words' })).toThrow(InvalidNameError);
    expect(() => defineJob('a', { queue: 'tablequeue.alerts' })).toThrow(/"queue" is .* reserved for alerts/);
    expect(() => defineJob('a', { retires: 3 } as object)).toThrow(UnknownOptionError);
    expect(() => defineJob('a', { retry: { attempts: 0 } })).toThrow(/"retry.attempts" is 0/);
    expect(() => defineJob('a', { retry: { attemps: 3 } as object })).toThrow(/no option "retry.attemps"/);
    expect(() => defineJob('a', { retry: { backoff: 5 as never } })).toThrow(/"retry.backoff" is 5/);
    expect(() => defineJob('a', { attempts: 3 } as object)).toThrow(
      /no option "attempts". Use "retry.attempts" of the/,
    );
    expect(() => defineJob('a', { concurrency: 3 } as object)).toThrow(/Use "concurrency" or "queues" of the worker/);
    expect(() => defineJob('a', { schema: {} as never })).toThrow(/"schema" is \{\}, but must be a Standard Schema/);
    expect(() => defineJob('a', null as never)).toThrow(/"options" is null/);
    expect(() => jobHandler(undefined as never, () => undefined)).toThrow(/"definition" is undefined.*circular import/);
    expect(() => fixed('-1s')).toThrow(/"fixed" is '-1s'/);
    expect(() => exponential({ from: '10s', max: '5s' })).toThrow(/"exponential.max" is '5s'.*at least 10000 ms/);
    expect(() => exponential({ from: 1, max: 5, factor: 0 })).toThrow(/"exponential.factor"/);
    expect(() => exponential({ from: 1, max: 5, jitter: 2 })).toThrow(/"exponential.jitter"/);
  });
});

describeEach('bad worker options', (engine) => {
  const bench = useWorkbench(engine);

  test.each([
    [{ concurrency: 0 }, /"concurrency" is 0/],
    [{ queues: { mail: { concurrency: 1.5 } } }, /"queues.mail.concurrency" is 1.5/],
    [{ queues: { 'two words': {} } }, /'two words' is not a valid queue name/],
    [{ lease: 999 }, /"lease" is 999.*at least 1000 ms/],
    [{ codeVersion: '' }, /"codeVersion" is '', but must be a text of 1 to 64 characters/],
    [{ pollInterval: 0 }, /"pollInterval" is 0/],
    [{ liveness: 'heartbeat' }, /"liveness" is 'heartbeat', but must be one of 'connection', 'lease'/],
    [{ deadWorkerGracePeriod: 199 }, /"deadWorkerGracePeriod" is 199.*at least 200 ms/],
    [{ shutdownTimeout: '-1s' }, /"shutdownTimeout" is '-1s'/],
    [{ shutdownTimeout: '30d' }, /"shutdownTimeout" is '30d'.*at most 24 days/],
    [{ maintenance: { reaper: '1ms' } }, /"maintenance.reaper" is '1ms'/],
    [{ maintenance: { scheduler: 0 } }, /"maintenance.scheduler" is 0/],
    [{ maintenance: { reper: '1s' } }, /no option "maintenance.reper"/],
    [{ logger: false }, /"logger" is false, but must be an object with the methods/],
    [{ concurency: 1 }, /no option "concurency". Did you mean "concurrency"\?/],
    [{ limiter: { max: 5 } }, /no option "limiter". Use "queue.control.limit" with "rate"/],
    [{ connection: {} }, /no option "connection". The queue uses the connections of its data source/],
    [{ lockDuration: 1000 }, /no option "lockDuration". Use "lease" of the worker/],
  ])('%j', (options, message) => {
    expect(() => new TableQueueWorker(bench.queue, [], options as object)).toThrow(message);
  });

  test('no queue, and handlers that are none', () => {
    const make = (queue: unknown, handlers: unknown) => () => new TableQueueWorker(queue as never, handlers as never);
    expect(make(undefined, [])).toThrow(/"queue" is '\[object Undefined\]', but must be a TableQueue/);
    expect(make(bench.dataSource, [])).toThrow(InvalidOptionError);
    expect(make(bench.queue, null)).toThrow(/"handlers" is '\[object Null\]', but must be a list of handlers/);
    expect(make(bench.queue, [null])).toThrow(/"handlers\[0\]" is '\[object Null\]', but must be made by jobHandler/);
    expect(make(bench.queue, [() => 1])).toThrow(InvalidOptionError);
    expect(make(bench.queue, [{ handle: () => 1 }])).toThrow(/"handlers\[0\]\.definition" is undefined/);
  });

  test('a worker without a logger uses that of its queue', async () => {
    const logger = new RecordingLogger();
    const queue = new TableQueue(bench.dataSource, { logger });
    const greet = defineJob('greet', { queue: 'greetings' });
    const worker = new TableQueueWorker(queue, [jobHandler(greet, () => undefined)]);
    worker.events.on('succeeded', () => {
      throw new Error('the listener failed');
    });
    await worker.start();
    await queue.waitFor((await queue.enqueue(greet)).id);
    await worker.stop();
    expect(logger.lines.join()).toContain('the listener failed');
  });

  test('starting twice, and starting after the end', async () => {
    const worker = await bench.work([]);
    await expect(worker.start()).rejects.toThrow(/cannot start: it is working/);
    await worker.stop();
    await expect(worker.start()).rejects.toThrow(/cannot start: it is stopped/);
    await worker.stop();
  });
});
