import { expect, test } from '@jest/globals';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { TableQueueJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { contextOf, mail, parcel, parentOf, report, useTraces } from './traces.fixture.js';

describeEach('traces', (engine) => {
  const { telemetry, bench, traced, work, inSpan } = useTraces(engine);

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

  test('go into the steps of a durable job, and from there to the jobs that they enqueue', async () => {
    const queue = traced();
    const { id } = await queue.enqueue(mail, 1);
    await work(
      queue,
      jobHandler(mail, async (_payload, job) => {
        await job.step('report', () => queue.enqueue(report));
        await job.step(
          'fail',
          () => {
            throw new TypeError('no');
          },
          { retry: { attempts: 1 } },
        );
      }),
    );
    const [process] = await telemetry.until('process post');
    const [first, second] = telemetry.named('step post');
    expect([first, second].map((span) => parentOf(span)?.spanId)).toEqual(Array(2).fill(contextOf(process)?.spanId));
    expect(parentOf(telemetry.named('send reports')[0])?.spanId).toBe(contextOf(first)?.spanId);
    expect(first).toMatchObject({ kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } });
    expect(first?.attributes).toEqual({
      'messaging.system': 'tablequeue',
      'messaging.operation.name': 'step',
      'messaging.destination.name': 'post',
      'messaging.message.id': id,
      'messaging.tablequeue.job.name': 'mail',
      'messaging.tablequeue.step.name': 'report',
    });
    expect(second).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: 'no' },
      attributes: { 'error.type': 'TypeError' },
    });
    expect(await telemetry.points('tablequeue.step.duration')).toHaveLength(2);
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
});
