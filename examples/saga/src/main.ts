import {
  StepFailedError,
  TableQueue,
  TableQueueWorker,
  UnrecoverableJobError,
  defineJob,
  jobHandler,
  tableQueueEntities,
} from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

const placeOrder = defineJob<{ order: number; cents: number }>('order.place');

const dataSource = await new DataSource({
  type: 'mysql',
  url: process.env.DATABASE_URL ?? 'mysql://root:secret@localhost:3306/shop',
  entities: [...tableQueueEntities('mysql')],
  synchronize: true, // for this example; use a migration in production
}).initialize();
const queue = new TableQueue(dataSource);

/** A fake payment provider. Like many real ones, it carries out each idempotency key once. */
const payments = {
  charge: async (cents: number, key: string) => console.log(`paid ${cents} cents`) ?? { id: `payment-${key}` },
  refund: async (id: string) => console.log(`refunded ${id.startsWith('payment-') ? 'the payment' : id}`),
};
const carrier = {
  ship: async (order: number) => {
    throw new UnrecoverableJobError(`no carrier ships order ${order}`);
  },
};

const saga = jobHandler(placeOrder, async ({ order, cents }, job) => {
  const payment = await job.step('charge', (step) => payments.charge(cents, step.id));
  try {
    await job.step('ship', () => carrier.ship(order));
  } catch (error) {
    if (!(error instanceof StepFailedError)) {
      throw error;
    }
    // The step has failed for good: undo the steps before it. The refund is a step too, with retries of its own.
    await job.step('refund', () => payments.refund(payment.id), { retry: { attempts: 20 } });
    return 'cancelled';
  }
  return 'shipped';
});

const worker = new TableQueueWorker(queue, [saga]);
await worker.start();
const { id } = await queue.enqueue(placeOrder, { order: 7, cents: 1900 });
console.log('the order is', await queue.waitFor(id));
await worker.stop();
await dataSource.destroy();
