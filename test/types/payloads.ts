/*
 * What the compiler refuses when jobs are enqueued: each line below a `@ts-expect-error` has to be an error, and no
 * other line may be one. Compiled with this package, and by test/packaging against what is published, with several
 * versions of TypeScript. Nothing here is run.
 */
import { type JobInput, type JobPayload, TableQueue, defineJob, jobGroup } from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const sendEmail = defineJob('email.send', { schema: z.object({ to: z.email(), at: z.coerce.date() }) });
const closeOrder = defineJob<{ orderId: number }>('order.close');
const cleanUp = defineJob('clean-up');

export async function enqueue(queue: TableQueue, manager: EntityManager): Promise<void> {
  await queue.enqueue(closeOrder, { orderId: 1 }, { manager, key: 'order:1', delay: '15m' });
  await queue.enqueue(sendEmail, { to: 'ada@example.com', at: '2027-01-01' });
  await queue.enqueue(cleanUp);
  await queue.enqueue(cleanUp, undefined, { delay: '1h' });

  // @ts-expect-error -- the payload is missing
  await queue.enqueue(closeOrder);
  await queue.enqueue(
    closeOrder,
    // @ts-expect-error -- a wrong type
    { orderId: '1' },
  );
  // @ts-expect-error -- a misspelt property
  await queue.enqueue(closeOrder, { orderID: 1 });
  // @ts-expect-error -- a property too many
  await queue.enqueue(closeOrder, { orderId: 1, reason: 'unpaid' });
  // @ts-expect-error -- what the schema wants is missing
  await queue.enqueue(sendEmail, { to: 'ada@example.com' });
  // @ts-expect-error -- a payload where there is none
  await queue.enqueue(cleanUp, { orderId: 1 });
  await queue.enqueue(closeOrder, { orderId: 1 }, { outsideTransaction: true });
  // @ts-expect-error -- the transaction of another client needs the function of its sub-path
  await queue.enqueue(closeOrder, { orderId: 1 }, { via: { query: () => undefined } });
  // @ts-expect-error -- a value of the queue's option
  await queue.enqueue(closeOrder, { orderId: 1 }, { outsideTransaction: 'allow' });
  // @ts-expect-error -- no such option
  await queue.enqueue(closeOrder, { orderId: 1 }, { prio: 1 });
  // @ts-expect-error -- no duration
  await queue.enqueue(closeOrder, { orderId: 1 }, { delay: '15 minutes' });
  // @ts-expect-error -- no definition
  await queue.enqueue('order.close', { orderId: 1 });
}

export async function enqueueMany(queue: TableQueue): Promise<void> {
  await queue.enqueueMany(closeOrder, [{ payload: { orderId: 1 }, key: 'order:1' }]);
  await queue.enqueueMany(cleanUp, [{}, { delay: '1h' }]);

  await queue.enqueueMany(closeOrder, [
    { payload: { orderId: 1 } },
    // @ts-expect-error -- the payload is missing
    { key: 'order:2' },
  ]);
  await queue.enqueueMany(closeOrder, [
    { payload: { orderId: 1 } },
    // @ts-expect-error -- the second is wrong
    { payload: { orderId: '2' } },
  ]);
  // @ts-expect-error -- the payload itself, as `enqueue` takes it
  await queue.enqueueMany(closeOrder, [{ orderId: 1 }]);
}

export async function enqueueGroup(queue: TableQueue): Promise<void> {
  await queue.groups.enqueue({
    jobs: [
      { definition: closeOrder, payload: { orderId: 1 } },
      { definition: cleanUp },
      jobGroup({ jobs: [{ definition: cleanUp }], onComplete: { definition: cleanUp } }),
    ],
    onSuccess: { definition: closeOrder, payload: ({ jobs }) => ({ orderId: jobs.length }) },
  });

  await queue.groups.enqueue({
    jobs: [
      { definition: cleanUp },
      // @ts-expect-error -- a wrong payload
      { definition: closeOrder, payload: { orderId: '1' } },
    ],
    onComplete: { definition: cleanUp },
  });
  await queue.groups.enqueue({
    jobs: [{ definition: cleanUp }],
    // @ts-expect-error -- the callback's payload is missing
    onSuccess: { definition: closeOrder },
  });
  await queue.groups.enqueue({
    jobs: [{ definition: cleanUp }],
    // @ts-expect-error -- the callback's payload is made wrong
    onFailure: { definition: closeOrder, payload: ({ id }) => ({ orderId: id }) },
  });
}

export async function repeat(queue: TableQueue): Promise<void> {
  await queue.recurring.set('close', closeOrder, { orderId: 1 }, { every: '1h' });

  await queue.recurring.set(
    'close',
    closeOrder,
    // @ts-expect-error -- a wrong payload
    { orderId: '1' },
    { every: '1h' },
  );
}

export function define(): void {
  defineJob<{ orderId: number }>('order.close', { unique: { key: ({ orderId }) => `order:${orderId}` } });

  // @ts-expect-error -- no such property of the payload
  defineJob<{ orderId: number }>('order.close', { unique: { key: ({ id }) => `order:${id}` } });
  // @ts-expect-error -- no such option
  defineJob('order.close', { retries: 3 });
}

// What goes in and what comes out of a schema.
export const input: JobInput<typeof sendEmail> = { to: 'ada@example.com', at: 'tomorrow' };
export const output: JobPayload<typeof sendEmail> = { to: 'ada@example.com', at: new Date() };
// @ts-expect-error -- the handler gets a Date
export const text: JobPayload<typeof sendEmail>['at'] = '2027-01-01';
