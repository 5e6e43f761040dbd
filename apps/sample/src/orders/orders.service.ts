import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type JobPayload, type JobSnapshot, TableQueue } from '@tablequeue/typeorm';
import { QueueHandler } from '@tablequeue/nestjs';
import { DataSource } from 'typeorm';

import { shipOrder } from '../shipping/shipping.jobs.js';
import { logOrder } from '../journal.js';
import { sendMail } from '../mail/mail.jobs.js';
import { sendPaymentNotice } from '../payments/payment.jobs.js';
import { Order } from './order.entity.js';
import { TIME_TO_PAY, cancelUnpaidOrder, orderKey } from './order.jobs.js';

/** The body of a new order. */
export type NewOrder = Pick<Order, 'item' | 'email' | 'cents'>;

/** An order with its jobs, finished and unfinished. */
export interface OrderWithJobs {
  readonly order: Order;
  readonly jobs: readonly JobSnapshot[];
}

const NEWEST = 20;

@Injectable()
export class OrdersService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly queue: TableQueue,
  ) {}

  /** Stores the order, its mail and its cancellation in one transaction. */
  async create(newOrder: NewOrder): Promise<Order> {
    const order = await this.dataSource.transaction(async (manager) => {
      const created = await manager.save(Order, { ...newOrder, status: 'unpaid' as const });
      const key = orderKey(created.id);
      await this.queue.enqueue(
        sendMail,
        { orderId: created.id, to: created.email, template: 'order-received' },
        { manager, key },
      );
      await this.queue.enqueue(cancelUnpaidOrder, { orderId: created.id }, { manager, key, delay: TIME_TO_PAY });
      return created;
    });
    logOrder(order.id, `created: ${order.item}. To be paid within ${TIME_TO_PAY}`);
    return order;
  }

  /** Marks the order as paid. Its cancellation is cancelled, the seller is notified, and it is shipped. */
  async pay(orderId: number): Promise<Order> {
    const order = await this.dataSource.transaction(async (manager) => {
      const { affected } = await manager.update(Order, { id: orderId, status: 'unpaid' }, { status: 'paid' });
      const found = await manager.findOneBy(Order, { id: orderId });
      if (!found) {
        throw new NotFoundException(`There is no order ${orderId}.`);
      }
      if (affected === 0) {
        throw new ConflictException(`Order ${orderId} is ${found.status} already.`);
      }
      const key = orderKey(orderId);
      await this.queue.cancelByKey(key, { manager, only: cancelUnpaidOrder });
      await this.queue.enqueue(sendPaymentNotice, { orderId, cents: found.cents }, { manager, key });
      const { email, cents } = found;
      await this.queue.enqueue(shipOrder, { orderId, email, cents }, { manager, key });
      return found;
    });
    logOrder(orderId, 'paid. Its cancellation is cancelled');
    return order;
  }

  @QueueHandler(cancelUnpaidOrder)
  async cancelUnpaid({ orderId }: JobPayload<typeof cancelUnpaidOrder>): Promise<string> {
    const { affected } = await this.dataSource.manager.update(
      Order,
      // The order may be paid at the same moment: the first change of the row wins.
      { id: orderId, status: 'unpaid' },
      { status: 'cancelled' },
    );
    if (!affected) {
      return 'paid meanwhile';
    }
    logOrder(orderId, 'cancelled: not paid in time');
    return 'cancelled';
  }

  async list(): Promise<OrderWithJobs[]> {
    const orders = await this.dataSource.manager.find(Order, { order: { id: 'DESC' }, take: NEWEST });
    return Promise.all(orders.map((order) => this.withJobs(order)));
  }

  async find(orderId: number): Promise<OrderWithJobs> {
    const order = await this.dataSource.manager.findOneBy(Order, { id: orderId });
    if (!order) {
      throw new NotFoundException(`There is no order ${orderId}.`);
    }
    return this.withJobs(order);
  }

  private async withJobs(order: Order): Promise<OrderWithJobs> {
    return { order, jobs: await this.queue.findByKey(orderKey(order.id)) };
  }
}
