import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, Logger } from '@nestjs/common';

import { OrdersService } from '../orders/orders.service.js';

const CUSTOMERS = [
  { item: 'a teapot', email: 'ada@example.com', cents: 2900, pays: true },
  { item: 'a globe', email: 'grace@example.com', cents: 8900, pays: false },
  { item: 'a kite', email: 'alan@example.com', cents: 1900, pays: true },
];

/** Some customers, so that the first minute shows the shop at work. */
@Injectable()
export class DemoService {
  private readonly logger = new Logger('Demo');

  constructor(private readonly orders: OrdersService) {}

  async run(): Promise<void> {
    for (const { pays, ...newOrder } of CUSTOMERS) {
      const { id } = await this.orders.create(newOrder);
      await sleep(2_000, undefined, { ref: false });
      if (pays) {
        await this.orders.pay(id);
      }
    }
    this.logger.log(
      'That was the demonstration. One order is still unpaid: watch it being cancelled. Ctrl+C ends the shop.',
    );
  }
}
