import { Injectable, SetMetadata, applyDecorators } from '@nestjs/common';
import { OnQueueEvent, QueueHandler, Recurring } from '@tablequeue/nestjs';
import { type EnqueuedJob, type JobContext, type JobPayload, TableQueue, defineJob, fixed } from '@tablequeue/typeorm';
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { z } from 'zod';

export const confirmOrder = defineJob('order.confirm', {
  queue: 'mail',
  schema: z.object({ orderId: z.number(), email: z.email() }),
  retry: { attempts: 3, backoff: fixed('50ms') },
});

@Entity()
export class Order {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'varchar', length: 200 })
  email!: string;
}

@Injectable()
export class Orders {
  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: TableQueue,
  ) {}

  /** @param isPaid when false, the order and its mail are rolled back. */
  async place(email: string, isPaid = true): Promise<EnqueuedJob> {
    return this.dataSource.transaction(async (manager) => {
      const order = await manager.save(Order, { email });
      const job = await this.queue.enqueue(confirmOrder, { orderId: order.id, email }, { manager, key: email });
      if (!isPaid) {
        throw new Error('not paid');
      }
      return job;
    });
  }
}

// Without a cast: each version of Nest has types of its own for this.
const ConfirmsOrders = () => applyDecorators(SetMetadata('team', 'sales'), QueueHandler(confirmOrder));
export const Journal = () => applyDecorators(OnQueueEvent('failed'), Recurring({ every: '1d' }));

@Injectable()
export class Mailer {
  @ConfirmsOrders()
  async confirm({ orderId, email }: JobPayload<typeof confirmOrder>, job: JobContext): Promise<string> {
    if (job.attempt === 1) {
      throw new Error('The mail server does not answer.');
    }
    return `mail to ${email} for order ${orderId}, attempt ${job.attempt}`;
  }
}
