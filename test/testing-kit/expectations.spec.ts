import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  JobCancelledError,
  JobFailedError,
  TableQueue,
  TableQueueWorker,
  WaitTimeoutError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import { JobExpectationError, TestingClock, TestingQueue, inMemoryDatabase } from '@tablequeue/typeorm/testing';
import { DataSource } from 'typeorm';

import { RecordingLogger } from '../support/recording-logger.js';

interface Mail {
  readonly to: string;
  readonly template: string;
  readonly lines?: readonly { readonly item: string; readonly cents: number }[];
}

const sendEmail = defineJob<Mail>('email.send', { queue: 'mail', retry: { attempts: 1 } });
const close = defineJob<number>('order.close');

let dataSource: DataSource;
let queue: TableQueue;
let testing: TestingQueue;
beforeEach(async () => {
  dataSource = await new DataSource(inMemoryDatabase()).initialize();
  queue = new TableQueue(dataSource, { clock: new TestingClock() });
  testing = new TestingQueue(queue, [jobHandler(sendEmail, () => 'sent')]);
});
afterEach(() => dataSource.destroy());

const order: Mail = { to: 'ada@example.com', template: 'order', lines: [{ item: 'lamp', cents: 4200 }] };

/** The text of an expectation that fails. */
async function failureOf(expectation: Promise<unknown>): Promise<string> {
  const error: unknown = await expectation.then(
    () => 'it holds',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(JobExpectationError);
  return (error as Error).message;
}

test('an expected job is found by a part of its payload and by its options', async () => {
  const runAt = new Date(Date.now() + 3_600_000);
  await queue.enqueue(sendEmail, order, { key: 'order:1', priority: 3, tenant: 'shop' });
  await queue.enqueue(close, 1, { delay: '15m' });
  await queue.enqueue(close, 2, { runAt });
  const job = await testing.expectEnqueued(sendEmail, { payload: { to: 'ada@example.com' } });
  // Typed: a payload as `enqueue` takes it.
  expect(job.payload.lines?.[0]?.item).toBe('lamp');
  await testing.expectEnqueued(sendEmail);
  await testing.expectEnqueued(sendEmail, { payload: { lines: [{ item: 'lamp' }] } });
  await testing.expectEnqueued(sendEmail, { payload: { to: expect.stringContaining('@') as never } });
  await testing.expectEnqueued(sendEmail, { payload: ({ template }) => template === 'order' });
  await testing.expectEnqueued(sendEmail, { key: 'order:1', queue: 'mail', priority: 3, tenant: 'shop', delay: 0 });
  await testing.expectEnqueued(close, { payload: 1, delay: '15m', state: 'scheduled' });
  await testing.expectEnqueued(close, { runAt });
  expect(await testing.jobs(close, { payload: 2 })).toHaveLength(1);
  expect((await testing.jobs()).map(({ name }) => name)).toEqual(['email.send', 'order.close', 'order.close']);

  // Whatever has come of it.
  await testing.drain();
  await testing.expectEnqueued(sendEmail, { payload: { to: 'ada@example.com' }, state: 'succeeded' });
});

test('the error about a missing job lists the existing ones', async () => {
  expect(await failureOf(testing.expectEnqueued(sendEmail))).toBe(
    'Expected a job "email.send" to have been enqueued.\nNo job was enqueued at all.',
  );
  await queue.enqueue(close, 7);
  await queue.enqueue(sendEmail, order, { key: 'order:1' });
  const match = { payload: { to: 'bob@example.com', lines: [{ cents: 1 }] }, key: 'order:2', delay: '1m' } as const;
  expect((await failureOf(testing.expectEnqueued(sendEmail, match))).split('\n')).toEqual([
    'Expected a job "email.send" with {',
    "  payload: { to: 'bob@example.com', lines: [ { cents: 1 } ] },",
    "  key: 'order:2',",
    "  delay: '1m'",
    '} to have been enqueued.',
    'Enqueued were:',
    "  email.send (ready in queue 'mail', key 'order:1') {",
    "  to: 'ada@example.com',",
    "  template: 'order',",
    "  lines: [ { item: 'lamp', cents: 4200 } ]",
    '}',
    "    payload.to: 'ada@example.com' instead of 'bob@example.com'",
    '    payload.lines[0].cents: 4200 instead of 1',
    "    key: 'order:1' instead of 'order:2'",
    '    delay: 0 instead of 60000',
    "  order.close (ready in queue 'default') 7",
  ]);
  await failureOf(testing.expectEnqueued(sendEmail, { payload: () => false }));
  await failureOf(testing.expectEnqueued(sendEmail, { payload: { lines: [] } }));
  await failureOf(testing.expectEnqueued(sendEmail, { payload: { to: expect.any(Number) as never } }));
});

test('expectNotEnqueued fails with the job that was enqueued', async () => {
  await testing.expectNotEnqueued();
  await queue.enqueue(sendEmail, order);
  await testing.expectNotEnqueued(close);
  await testing.expectNotEnqueued(sendEmail, { payload: { to: 'bob@example.com' } });
  const text = await failureOf(testing.expectNotEnqueued(sendEmail, { payload: { template: 'order' } }));
  expect(text).toContain(
    'Expected that a job "email.send" with { payload: { template: \'order\' } } was not enqueued.',
  );
  expect(text).toContain("to: 'ada@example.com'");
  expect(await failureOf(testing.expectNotEnqueued())).toContain('Expected that a job was not enqueued.');
});

test('a job of a running worker is waited for, before it is enqueued and after', async () => {
  const worker = new TableQueueWorker(
    queue,
    [
      jobHandler(sendEmail, ({ to }) => {
        if (to === 'nobody') {
          throw new Error('no such address');
        }
        return 'sent';
      }),
    ],
    { maintenance: false, logger: new RecordingLogger() },
  );
  await worker.start();
  const sent = testing.waitFor(sendEmail, { payload: { to: 'ada@example.com' }, timeout: '20s' });
  await queue.enqueue(sendEmail, { ...order, to: 'bob@example.com' });
  await queue.enqueue(sendEmail, order);
  expect(await sent).toMatchObject({ state: 'succeeded', result: 'sent', payload: order });
  expect((await testing.waitFor(sendEmail)).payload.to).toBe('bob@example.com');
  await queue.enqueue(sendEmail, { ...order, to: 'nobody' });
  await expect(testing.waitFor(sendEmail, { payload: { to: 'nobody' } })).rejects.toThrow(JobFailedError);
  await worker.stop();
});

test('a wait that ends without a job fails with the reason', async () => {
  await queue.enqueue(sendEmail, order);
  const text = await failureOf(testing.waitFor(sendEmail, { payload: { to: 'bob@example.com' }, timeout: 20 }));
  expect(text).toContain(
    'Waited 20 ms for a job "email.send" with { payload: { to: \'bob@example.com\' } }, which was not enqueued.',
  );
  expect(text).toContain("payload.to: 'ada@example.com' instead of 'bob@example.com'");
  await expect(testing.waitFor(sendEmail, { timeout: 20 })).rejects.toThrow(WaitTimeoutError);
  const aborted = AbortSignal.abort(new JobCancelledError());
  await expect(testing.waitFor(close, { signal: aborted })).rejects.toThrow(JobCancelledError);
});
