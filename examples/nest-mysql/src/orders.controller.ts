import { Body, Controller, Post } from '@nestjs/common';
import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { sendReceipt } from './jobs.js';
import { Order } from './order.entity.js';

@Controller('orders')
export class OrdersController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: TableQueue,
  ) {}

  @Post()
  place(@Body() { email }: { email: string }): Promise<Order> {
    // The order and its job are committed together, or not at all.
    return this.dataSource.transaction(async (manager) => {
      const order = await manager.save(Order, { email });
      await this.queue.enqueue(sendReceipt, { order: order.id, email }, { manager });
      return order;
    });
  }
}
