import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';

import { OrdersService } from '../orders/orders.service.js';

const CUSTOMERS = [
  { item: 'a teapot', email: 'ada@example.com', cents: 2900, pays: true },
  { item: 'a kite', email: 'alan@example.com', cents: 1900, pays: true },
  { item: 'a globe', email: 'grace@example.com', cents: 8900, pays: false },
  { item: 'a lamp', email: 'mary@example.com', cents: 4200, pays: true },
];
/** The tenth of every sixty has mistyped an address. */
const UNREACHABLE = { email: 'charles@example.invalid', every: 60, first: 10 };
/** How much time passes between two customers, in ms. */
const PAUSE = 2_000;
/** How long customers look for their purses, in ms. */
const SHORTEST = 1_500;
const LONGEST = 6_000;

/** Customers, so that there is something to see. One in four never pays. */
@Injectable()
export class Customers implements OnModuleDestroy {
  private readonly logger = new Logger('Customers');
  private seen = 0;
  private isClosed = false;

  constructor(private readonly orders: OrdersService) {}

  /** From now on one comes every other second. */
  async comeAndGo(): Promise<void> {
    while (!this.isClosed) {
      await this.come().catch((error: unknown) => this.logger.warn(`An order could not be placed: ${String(error)}`));
      await sleep(PAUSE);
    }
  }

  /** The next one places an order, whose id is returned, and pays in a while. */
  async come(): Promise<number> {
    const { pays, ...newOrder } = CUSTOMERS[this.seen % CUSTOMERS.length]!;
    if (this.seen++ % UNREACHABLE.every === UNREACHABLE.first) {
      newOrder.email = UNREACHABLE.email;
    }
    const { id } = await this.orders.create(newOrder);
    if (pays) {
      setTimeout(() => void this.pay(id), SHORTEST + Math.random() * (LONGEST - SHORTEST));
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
