/*
 * What the compiler refuses of handlers: see payloads.ts.
 */
import { QueueHandler, Recurring } from '@tablequeue/nestjs';
import {
  type BatchJob,
  type DurableJobContext,
  type JobContext,
  type TransactionalJobContext,
  batchHandler,
  defineJob,
  defineSignal,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';

interface Order {
  readonly orderId: number;
}

const closeOrder = defineJob<Order>('order.close');
const cleanUp = defineJob('clean-up');
const approved = defineSignal<{ by: string }>('approved');

/** Methods that fit. */
export class Fitting {
  @QueueHandler(closeOrder)
  async withBoth(_payload: Order, _job: JobContext): Promise<void> {}

  @QueueHandler(closeOrder)
  async durable(payload: Order, { step, waitForSignal }: DurableJobContext): Promise<void> {
    const paid: { readonly at: string } = await step('pay', () => ({ at: new Date(), cancel: () => payload.orderId }));
    const found: { readonly by: string } | undefined = await step(
      'find',
      (manager, { id }) => manager.query<{ by: string }>(`SELECT '${id}'`),
      { transactional: true },
    );
    const approval: { readonly data: { readonly by: string } } | undefined = await waitForSignal(approved, {
      timeout: '1d',
    });
    const sure: { readonly data: { readonly by: string } } = await waitForSignal(approved);
    // @ts-expect-error -- a Date is stored as a text
    const wrong: Date = paid.at;
    void [found, approval, sure, wrong];
  }

  @QueueHandler(closeOrder)
  withPayload(_payload: Order): string {
    return 'closed';
  }

  @QueueHandler(closeOrder)
  withNothing(): void {}

  @QueueHandler(cleanUp)
  @Recurring({ every: '1h' })
  async recurring(): Promise<void> {}

  @QueueHandler(closeOrder, { transactional: true })
  async transactional(_payload: Order, _job: TransactionalJobContext): Promise<void> {}

  @QueueHandler(closeOrder, { batch: true })
  async batch(_jobs: readonly BatchJob<Order>[]): Promise<void> {}
}

/** Methods that do not. */
export class Wrong {
  // @ts-expect-error -- a transactional handler has no steps
  @QueueHandler(closeOrder, { transactional: true })
  async transactionalSteps(_payload: Order, _job: DurableJobContext): Promise<void> {}

  // @ts-expect-error -- a wrong payload
  @QueueHandler(closeOrder)
  async wrongPayload(_payload: { orderId: string }): Promise<void> {}

  // @ts-expect-error -- a property the payload does not have
  @QueueHandler(closeOrder)
  async largerPayload(_payload: { orderId: number; reason: string }): Promise<void> {}

  // @ts-expect-error -- the payload is missing
  @QueueHandler(closeOrder)
  async contextFirst(_job: JobContext): Promise<void> {}

  // @ts-expect-error -- a third argument that is never passed
  @QueueHandler(closeOrder)
  async thirdArgument(_payload: Order, _job: JobContext, _more: string): Promise<void> {}

  // @ts-expect-error -- a transaction, which the handler does not have
  @QueueHandler(closeOrder)
  async noTransaction(_payload: Order, _job: TransactionalJobContext): Promise<void> {}

  // @ts-expect-error -- one payload, in a batch
  @QueueHandler(closeOrder, { batch: true })
  async noBatch(_payload: Order): Promise<void> {}

  // @ts-expect-error -- a batch of other jobs
  @QueueHandler(closeOrder, { batch: { size: 50 } })
  async wrongBatch(_jobs: readonly BatchJob<{ orderId: string }>[]): Promise<void> {}

  // @ts-expect-error -- a batch returns nothing: results belong to jobs
  @QueueHandler(closeOrder, { batch: true })
  async batchResult(_jobs: readonly BatchJob<Order>[]): Promise<string> {
    return 'closed';
  }

  // @ts-expect-error -- one or the other
  @QueueHandler(closeOrder, { batch: true, transactional: true })
  async both(): Promise<void> {}

  @QueueHandler<Order>('order.close')
  async byName(_payload: Order, _job: JobContext): Promise<void> {}

  // @ts-expect-error -- a wrong payload, of a job by its name
  @QueueHandler<Order>('order.close')
  async wrongByName(_payload: { orderId: string }): Promise<void> {}

  // @ts-expect-error -- no definition, and no name
  @QueueHandler({ name: 'order.close' })
  async noDefinition(): Promise<void> {}

  @QueueHandler(closeOrder)
  // @ts-expect-error -- ticks without the payload
  @Recurring({ every: '1h' })
  async withoutPayload(_payload: Order): Promise<void> {}

  // @ts-expect-error -- no property of a class
  @QueueHandler(closeOrder)
  readonly property = 1;
}

/** Without Nest. */
export const handlers = [
  jobHandler(closeOrder, ({ orderId }, job) => orderId + job.attempt),
  transactionalHandler(closeOrder, async ({ orderId }, { manager }) => manager.query('SELECT ?', [orderId])),
  batchHandler(closeOrder, (jobs) => jobs.forEach(({ payload, succeed }) => succeed(payload.orderId))),

  jobHandler(
    closeOrder,
    // @ts-expect-error -- a wrong payload
    (payload: { orderId: string }) => payload,
  ),
  jobHandler(
    closeOrder,
    // @ts-expect-error -- a third argument that is never passed
    (payload: Order, job: JobContext, more: string) => [payload, job, more],
  ),
  jobHandler(
    closeOrder,
    // @ts-expect-error -- a transaction, which the handler does not have
    ({ orderId }, { manager }) => [orderId, manager],
  ),
  transactionalHandler(
    closeOrder,
    // @ts-expect-error -- a wrong payload
    (payload: { orderId: string }) => payload,
  ),
  batchHandler(
    closeOrder,
    // @ts-expect-error -- one payload, in a batch
    ({ orderId }) => orderId,
  ),
];
