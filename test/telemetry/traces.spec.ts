import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import {
  DuplicateJobError,
  SnoozeJobError,
  TableQueue,
  TableQueueJob,
  TableQueueWorker,
  type JobHandler,
  batchHandler,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { TableQueueHistory } from '@tablequeue/typeorm/internal';
import { type OpenTelemetryOptions, openTelemetry } from '@tablequeue/typeorm/opentelemetry';

import { describeEach } from '../support/each-engine.js';
import { Telemetry } from '../support/telemetry.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob<number>('mail', { queue: 'post', retry: { attempts: 2, backoff: fixed(0) } });
const parcel = defineJob<number>('parcel', { queue: 'post' });
const report = defineJob('report', { queue: 'reports' });

const contextOf = (span: ReadableSpan | undefined) => span?.spanContext();
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext;

describeEach('traces', (engine) => {
  let telemetry: Telemetry;
  const workers: TableQueueWorker[] = [];
  beforeAll(() => void (telemetry = new Telemetry()));
  afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));
  const bench = useWorkbench(engine);
  afterEach(() => telemetry.reset());
  afterAll(() => telemetry.close());

  function traced(options: OpenTelemetryOptions = {}): TableQueue {
    const { tracerProvider, meterProvider } = telemetry;
    const instrumentation = openTelemetry({ tracerProvider, meterProvider, ...options });
    return new TableQueue(bench.dataSource, { clock: bench.clock, instrumentation });
  }

  async function work(queue: TableQueue, ...handlers: JobHandler[]): Promise<void> {
    const worker = new TableQueueWorker(queue, handlers, {
      logger: bench.logger,
      pollInterval: '20ms',
      maintenance: false,
    });
    workers.push(worker);
    await worker.start();
  }

  /** Does something in a span of the application's. */
  async function inSpan<T>(work: () => Promise<T>): Promise<T> {
    return telemetry.tracerProvider.getTracer('application').startActiveSpan('request', async (span) => {
      const result = await work();
      span.end();
      return result;
    });
  }

  test('go from the request over the enqueue to the handler, and from there to the job it enqueues', async () => {
    const queue = traced();
    const { id } = await inSpan(() => queue.enqueue(mail, 1));
    let active: unknown;
    await work(
      queue,
      jobHandler(mail, async () => {
        active = trace.getActiveSpan()?.spanContext();
        await queue.enqueue(report);
      }),
      jobHandler(report, () => undefined),
    );
    const [[last]] = await Promise.all([telemetry.until('process reports'), telemetry.until('process post')]);
    const [request, send, process, followUp] = ['request', 'send post', 'process post', 'send reports'].map(
      (name) => telemetry.named(name)[0],
    );
    expect(telemetry.spans).toHaveLength(5);
    expect(new Set(telemetry.spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(parentOf(send)?.spanId).toBe(contextOf(request)?.spanId);
    expect(parentOf(process)).toMatchObject({ spanId: contextOf(send)?.spanId, isRemote: true });
    expect(process?.links.map(({ context }) => context.spanId)).toEqual([contextOf(send)?.spanId]);
    expect(active).toEqual(contextOf(process));
    expect(parentOf(followUp)?.spanId).toBe(contextOf(process)?.spanId);
    expect(parentOf(last)?.spanId).toBe(contextOf(followUp)?.spanId);

    expect(send).toMatchObject({ kind: SpanKind.PRODUCER, status: { code: SpanStatusCode.UNSET } });
    const common = {
      'messaging.system': 'tablequeue',
      'messaging.destination.name': 'post',
      'messaging.message.id': id,
      'messaging.tablequeue.job.name': 'mail',
    };
    expect(send?.attributes).toEqual({
      ...common,
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
    });
    expect(process).toMatchObject({ kind: SpanKind.CONSUMER, status: { code: SpanStatusCode.UNSET } });
    expect(process?.attributes).toEqual({
      ...common,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.tablequeue.job.attempt': 1,
      'messaging.tablequeue.outcome': 'succeeded',
    });
  });

  test('all attempts belong to the enqueue, also those after a permanent failure; each records its error', async () => {
    const queue = traced();
    const { id } = await queue.enqueue(mail, 1);
    let runs = 0;
    await work(
      queue,
      jobHandler(mail, () => {
        if (++runs <= 2) {
          throw new TypeError(`broken ${runs}`);
        }
      }),
    );
    await bench.untilJobIs(id, 'failed');
    expect((await bench.rows(TableQueueHistory))[0]?.trace).toContain('traceparent');
    await queue.failed.retry(id);
    await bench.untilJobIs(id, 'succeeded');
    const [first, second, third] = await telemetry.until('process post', 3);
    const [send] = telemetry.named('send post');
    for (const [index, span] of [first, second].entries()) {
      expect(parentOf(span)?.spanId).toBe(contextOf(send)?.spanId);
      expect(span).toMatchObject({
        status: { code: SpanStatusCode.ERROR, message: `broken ${index + 1}` },
        attributes: { 'error.type': 'TypeError', 'messaging.tablequeue.job.attempt': index + 1 },
        events: [{ name: 'exception', attributes: { 'exception.type': 'TypeError', 'messaging.message.id': id } }],
      });
    }
    expect(first?.attributes['messaging.tablequeue.outcome']).toBe('retried');
    expect(second?.attributes['messaging.tablequeue.outcome']).toBe('failed');
    expect(parentOf(third)?.spanId).toBe(contextOf(send)?.spanId);
    expect(third?.status.code).toBe(SpanStatusCode.UNSET);
  });

  test('a job that is snoozed has no error, a transactional handler ends with its commit', async () => {
    const queue = traced();
    let isFirst = true;
    await work(
      queue,
      transactionalHandler(mail, async (_payload, { manager }) => {
        if (isFirst) {
          isFirst = false;
          throw new SnoozeJobError(1);
        }
        await queue.enqueue(report, undefined, { manager });
      }),
    );
    const { id } = await queue.enqueue(mail, 1);
    await bench.untilJobIs(id, 'succeeded');
    const [snoozed, done] = await telemetry.until('process post', 2);
    expect(snoozed).toMatchObject({ status: { code: SpanStatusCode.UNSET }, events: [] });
    expect(snoozed?.attributes['messaging.tablequeue.outcome']).toBe('snoozed');
    expect(done?.attributes['messaging.tablequeue.outcome']).toBe('succeeded');
    const [followUp] = telemetry.named('send reports');
    expect(parentOf(followUp)?.spanId).toBe(contextOf(done)?.spanId);
  });

  test('jobs that are enqueued together share a span; those of one moment that share a statement do not', async () => {
    const queue = traced();
    await queue.enqueueMany(
      mail,
      [1, 2, 3].map((payload) => ({ payload })),
    );
    await Promise.all([inSpan(() => queue.enqueue(parcel, 4)), inSpan(() => queue.enqueue(parcel, 5))]);
    const [bulk, ...single] = telemetry.named('send post');
    expect(bulk?.attributes).toMatchObject({ 'messaging.batch.message_count': 3 });
    expect(bulk?.attributes['messaging.message.id']).toBeUndefined();
    expect(new Set(single.map((span) => span.spanContext().traceId)).size).toBe(2);
    const jobs = await bench.rows(TableQueueJob);
    const idOf = (trace: string | null) => (JSON.parse(trace ?? '{}') as { traceparent: string }).traceparent;
    const spanIds = jobs.map(({ trace }) => idOf(trace).split('-')[2] ?? '').sort();
    const ids = [bulk, bulk, bulk, ...single].map((span) => contextOf(span)?.spanId ?? '').sort();
    expect(spanIds).toEqual(ids);
  });

  test('a call of a batch handler is linked to the enqueue of each of its jobs, and records which failed', async () => {
    const queue = traced();
    const first = await inSpan(() => queue.enqueue(mail, 1));
    const second = await inSpan(() => queue.enqueue(mail, 2));
    await work(
      queue,
      batchHandler(mail, (jobs) => {
        jobs.find(({ payload }) => payload === 2)?.fail(new RangeError('too far'));
      }),
    );
    const [call] = await telemetry.until('process post');
    expect(parentOf(call)).toBeUndefined();
    expect(
      call?.links.map(({ context, attributes }) => [attributes?.['messaging.message.id'], context.spanId]),
    ).toEqual(
      [first, second].map(({ id }) => [
        id,
        contextOf(telemetry.spans.find(({ attributes }) => attributes['messaging.message.id'] === id))?.spanId,
      ]),
    );
    expect(call).toMatchObject({
      attributes: { 'messaging.batch.message_count': 2, 'error.type': 'RangeError' },
      status: { code: SpanStatusCode.ERROR, message: '1 of 2 jobs failed' },
      events: [{ attributes: { 'messaging.message.id': second.id, 'exception.message': 'too far' } }],
    });
  });

  test('the jobs of a group and its callbacks belong to the enqueue of the group', async () => {
    const queue = traced();
    await inSpan(() =>
      queue.groups.enqueue({
        jobs: [
          { definition: mail, payload: 1 },
          { definition: parcel, payload: 2 },
        ],
        onComplete: { definition: report },
      }),
    );
    await work(
      queue,
      jobHandler(mail, () => undefined),
      jobHandler(parcel, () => undefined),
      jobHandler(report, () => undefined),
    );
    const [callback] = await telemetry.until('process reports');
    // Jobs of two queues.
    const [send] = telemetry.named('send');
    expect(send?.attributes['messaging.batch.message_count']).toBe(3);
    for (const span of [callback, ...(await telemetry.until('process post', 2))]) {
      expect(parentOf(span)?.spanId).toBe(contextOf(send)?.spanId);
    }
  });

  test('a unique job records the id of the one that has its key; a replacement brings its own trace', async () => {
    const queue = traced();
    const unique = { key: 'k', while: 'queued', onConflict: 'replace' } as const;
    const first = await inSpan(() => queue.enqueue(mail, 1, { unique }));
    await inSpan(() => queue.enqueue(mail, 2, { unique }));
    const [, replacing] = telemetry.named('send post');
    expect(replacing?.attributes['messaging.message.id']).toBe(first.id);
    expect((await bench.rows(TableQueueJob))[0]?.trace).toContain(contextOf(replacing)?.spanId);
  });

  test('with links each attempt has its own trace', async () => {
    const queue = traced({ correlation: 'link' });
    const { id } = await inSpan(() => queue.enqueue(mail, 1));
    await work(
      queue,
      jobHandler(mail, () => undefined),
    );
    await bench.untilJobIs(id, 'succeeded');
    const [process] = await telemetry.until('process post');
    const [send] = telemetry.named('send post');
    expect(parentOf(process)).toBeUndefined();
    expect(process?.links.map(({ context }) => context.spanId)).toEqual([contextOf(send)?.spanId]);
    expect(contextOf(process)?.traceId).not.toBe(contextOf(send)?.traceId);
  });

  test('a job without a readable trace begins a new one, with any active span', async () => {
    await bench.queue.enqueue(parcel, 1);
    const broken = await bench.queue.enqueue(parcel, 2);
    expect((await bench.rows(TableQueueJob)).map(({ trace }) => trace)).toEqual([null, null]);
    await bench.dataSource.getRepository(TableQueueJob).update({ id: broken.id }, { trace: '{no json' });
    const queue = traced();
    await inSpan(() =>
      work(
        queue,
        jobHandler(parcel, () => undefined),
      ),
    );
    const spans = await telemetry.until('process post', 2);
    expect(spans.map((span) => [parentOf(span), span.links])).toEqual([
      [undefined, []],
      [undefined, []],
    ]);
  });

  test('an enqueue that fails has an error', async () => {
    const queue = traced();
    await queue.enqueue(mail, 1, { unique: { key: 'one', onConflict: 'throw' } });
    await expect(queue.enqueue(mail, 1, { unique: { key: 'one', onConflict: 'throw' } })).rejects.toThrow(
      DuplicateJobError,
    );
    expect(telemetry.named('send post')[1]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'DuplicateJobError' },
      events: [{ name: 'exception' }],
    });
  });

  test('an instrumentation that fails touches no job', async () => {
    const fail = () => {
      throw new Error('the instrumentation is broken');
    };
    const instrumentation = { send: fail, process: fail, settled: fail, observe: fail };
    const queue = new TableQueue(bench.dataSource, { clock: bench.clock, logger: bench.logger, instrumentation });
    const single = await queue.enqueue(mail, 1);
    const batch = await queue.enqueue(parcel, 1);
    await work(
      queue,
      jobHandler(mail, () => 'done'),
      batchHandler(parcel, ([job]) => job?.succeed('done')),
    );
    await waitFor('both have succeeded', async () =>
      (await Promise.all([single, batch].map(({ id }) => queue.find(id)))).every((job) => job?.result === 'done'),
    );
    expect(bench.logger.lines).toContainEqual(expect.stringContaining('the instrumentation is broken'));
    expect(() => new TableQueue(bench.dataSource, { instrumentation: {} as never })).toThrow(/openTelemetry\(\)/);
    expect(() => openTelemetry({ correlation: 'child' as never })).toThrow(/'parent' or 'link'/);
  });
});
