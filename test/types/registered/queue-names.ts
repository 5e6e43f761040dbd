/*
 * What the compiler refuses where the application's queues are declared: see ../payloads.ts. In a project of its own,
 * because a declaration holds for a whole program.
 */
import { TableQueueModule } from '@tablequeue/nestjs';
import { type QueueName, TableQueue, TableQueueWorker, defineJob } from '@tablequeue/typeorm';

declare module '@tablequeue/typeorm' {
  interface Register {
    queues: 'mail' | 'payments';
  }
}

export const sendEmail = defineJob('email.send', { queue: 'mail' });
export const cleanUp = defineJob('clean-up', { queue: 'default' });
// @ts-expect-error -- no such queue
export const misspelt = defineJob('email.send', { queue: 'mial' });
// @ts-expect-error -- the type itself knows
export const name: QueueName = 'mial';

export const modules = [
  TableQueueModule.forRoot({ queues: { mail: { concurrency: 20 }, default: { weight: 2 } } }),
  // @ts-expect-error -- no such queue
  TableQueueModule.forRoot({ queues: { mial: { concurrency: 20 } } }),
  TableQueueModule.forRootAsync({ useFactory: () => ({ queues: { mail: { concurrency: 20 } } }) }),
];

export async function control(queue: TableQueue): Promise<void> {
  await queue.control.pause('mail');
  await queue.control.pause(sendEmail.queue);
  await queue.control.limit('payments', { concurrency: 1 });
  await queue.cancelMany({ queue: 'mail' });
  await queue.failed.retryMany({ queue: 'mail' });

  // @ts-expect-error -- no such queue
  await queue.control.pause('mial');
  // @ts-expect-error -- no such queue
  await queue.control.resume('mial');
  // @ts-expect-error -- no such queue
  await queue.control.limit('mial', { concurrency: 1 });
  // @ts-expect-error -- no such queue
  await queue.cancelMany({ queue: 'mial' });
  // @ts-expect-error -- no such queue
  await queue.failed.list({ queue: 'mial' });
  // @ts-expect-error -- no such queue
  await queue.failed.retryMany({ queue: 'mial' });
}

export function work(queue: TableQueue): TableQueueWorker[] {
  return [
    new TableQueueWorker(queue, [], { queues: { mail: { concurrency: 20 } } }),
    // @ts-expect-error -- no such queue
    new TableQueueWorker(queue, [], { queues: { mial: { concurrency: 20 } } }),
  ];
}
