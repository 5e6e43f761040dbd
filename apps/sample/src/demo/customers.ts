import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';

import { OrdersService } from '../orders/orders.service.js';

const CUSTOMERS = [
  { item: 'a teapot', email: 'ada@example.com', cents: 2900, pays: true },
  { item: 'a kite', email: 'alan@example.com', cents: 1900, pays: true },
  { item: 'a globe', email: 'grace@example.com', cents: 8900, pays: false },
  { item: 'a lamp', email: 'mary@example.com', cents: 4200, pays: true },
];
/** One of thirty customers gives a wrong address: two in the first two minutes. */
const UNREACHABLE = { every: 30, first: 10 };
/** The time between two customers, in ms. */
const PAUSE = 2_000;
/** How long a customer takes to pay, in ms. */
const PAYMENT = { least: 1_500, most: 6_000 } as const;

/** Simulated customers. One in four never pays. */
@Injectable()
export class Customers implements OnModuleDestroy {
  private readonly logger = new Logger('Customers');
  private seen = 0;
  private isClosed = false;

  constructor(private readonly orders: OrdersService) {}

  /** Places an order every two seconds. */
  async placeOrders(): Promise<void> {
    while (!this.isClosed) {
      await this.placeOrder().catch((error: unknown) =>
        this.logger.warn(`An order could not be placed: ${String(error)}`),
      );
      await sleep(PAUSE);
    }
  }

  /** Places the order of the next customer, who pays after some seconds. Returns its id. */
  async placeOrder(): Promise<number> {
    const { pays, ...newOrder } = CUSTOMERS[this.seen % CUSTOMERS.length]!;
    if (this.seen++ % UNREACHABLE.every === UNREACHABLE.first) {
      newOrder.email = newOrder.email.replace('.com', '.invalid');
    }
    const { id } = await this.orders.create(newOrder);
    if (pays) {
      setTimeout(() => void this.pay(id), PAYMENT.least + Math.random() * (PAYMENT.most - PAYMENT.least));
    }
    return id;
  }

  onModuleDestroy(): void {
    this.isClosed = true;
  }

  private async pay(id: number): Promise<void> {
    if (!this.isClosed) {
      await this.orders
        .pay(id)
        .catch((error: unknown) => this.logger.warn(`Order ${id} is not paid: ${String(error)}`));
    }
  }
}
