import { expect, test } from '@jest/globals';
import { SpanStatusCode } from '@opentelemetry/api';
import {
  DuplicateJobError,
  SnoozeJobError,
  TableQueue,
  batchHandler,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { openTelemetry } from '@tablequeue/typeorm/opentelemetry';

import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';
import { contextOf, mail, parcel, parentOf, report, useTraces } from './traces.fixture.js';

describeEach('traces of outcomes and failures', (engine) => {
  const { telemetry, bench, traced, work, inSpan } = useTraces(engine);

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
    expect((await bench.finishedJobs())[0]?.trace).toContain('traceparent');
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
    const instrumentation = { send: fail, process: fail, step: fail, recordOutcome: fail, observe: fail };
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
