import { TableQueue, TableQueueWorker, defineJob, jobHandler, tableQueueEntities } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

const exportRows = defineJob<{ customer: string; file: number }>('rows.export', {
  queue: 'exports',
  tenant: ({ customer }) => customer,
});

const dataSource = await new DataSource({
  type: 'mysql',
  url: process.env.DATABASE_URL ?? 'mysql://root:secret@localhost:3306/shop',
  entities: [...tableQueueEntities('mysql')],
  synchronize: true, // for this example; use a migration in production
}).initialize();
const queue = new TableQueue(dataSource);

// For all processes together: 10 exports at a time, 2 of each customer, and 600 starts a minute for each customer.
await queue.control.limit('exports', {
  concurrency: 10,
  concurrencyPerTenant: 2,
  ratePerTenant: { jobs: 600, per: '1m' },
});

// A large customer enqueues first. The small one does not wait for it.
const files = (customer: string, count: number) =>
  Array.from({ length: count }, (_, file) => ({ payload: { customer, file } }));
await queue.enqueueMany(exportRows, [...files('large', 30), ...files('small', 1)]);

const started: string[] = [];
const running = new Map<string, number>();
let most = 0;
const worker = new TableQueueWorker(queue, [
  jobHandler(exportRows, async ({ customer }) => {
    started.push(customer);
    const count = (running.get(customer) ?? 0) + 1;
    running.set(customer, count);
    most = Math.max(most, count);
    await new Promise((resolve) => setTimeout(resolve, 10)); // the export
    running.set(customer, (running.get(customer) ?? 1) - 1);
  }),
]);
let left = 31;
const done = new Promise<void>((resolve) => worker.events.on('succeeded', () => --left === 0 && resolve()));
await worker.start();
await done;

console.log(`the small customer was number ${started.indexOf('small') + 1}`);
console.log(`at most ${most} exports of a customer at a time`);
await worker.stop();
await dataSource.destroy();
