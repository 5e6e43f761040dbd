import 'reflect-metadata';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type INestApplicationContext, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Test, type TestingModule } from '@nestjs/testing';
import { InjectRepository } from '@nestjs/typeorm';
import { QueueHandler, Recurring } from '@tablequeue/nestjs';
import { TableQueueTestingModule, testingQueue } from '@tablequeue/nestjs/testing';
import { InvalidOptionError, type JobContext, TableQueue, defineJob, fixed } from '@tablequeue/typeorm';
import { DrainFailedError, TestingClock, type TestingQueue, TestingStateError } from '@tablequeue/typeorm/testing';
import { DataSource, EntitySchema, type Repository } from 'typeorm';

const sendEmail = defineJob<{ to: string; template: string }>('email.send', {
  retry: { attempts: 3, backoff: fixed('1m') },
});
const cancelUnpaid = defineJob<number>('order.cancel-unpaid');
const report = defineJob('report');

class Order {
  id!: number;
  email!: string;
  placedAt!: number;
  state!: string;
}
const OrderSchema = new EntitySchema<Order>({
  name: 'Order',
  target: Order,
  tableName: 'order',
  columns: {
    id: { type: 'integer', primary: true, generated: true },
    email: { type: 'varchar' },
    placedAt: { type: 'integer' },
    state: { type: 'varchar', default: 'placed' },
  },
});

const QUARTER = 15 * 60_000;

@Injectable()
class OrdersService {
  ticks = 0;

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    private readonly queue: TableQueue,
  ) {}

  create(email: string): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      const { id } = await manager.save(Order, { email, placedAt: Date.now() });
      await this.queue.enqueue(sendEmail, { to: email, template: 'order' }, { manager, key: `order:${id}` });
      await this.queue.enqueue(cancelUnpaid, id, { manager, delay: QUARTER });
    });
  }

  @QueueHandler(cancelUnpaid)
  async cancelUnpaid(id: number): Promise<void> {
    const { placedAt } = await this.orders.findOneByOrFail({ id });
    await this.orders.update({ id }, { state: Date.now() - placedAt >= QUARTER ? 'cancelled' : 'too early' });
  }

  @Interval(1)
  tick(): void {
    this.ticks++;
  }

  @Recurring({ every: '1d' })
  @QueueHandler(report)
  report(): void {}
}

@Injectable()
class Mailer implements OnApplicationBootstrap {
  readonly sent: string[] = [];
  started = false;

  onApplicationBootstrap(): void {
    this.started = true;
  }

  @QueueHandler(sendEmail)
  send({ to }: { to: string }, { attempt }: JobContext): void {
    if (to === 'nobody' && attempt === 1) {
      throw new Error('SMTP is down');
    }
    this.sent.push(to);
  }
}

async function start(options: Parameters<typeof TableQueueTestingModule.forRoot>[0] = {}): Promise<TestingModule> {
  const module = await Test.createTestingModule({
    imports: [TableQueueTestingModule.forRoot({ entities: [OrderSchema], ...options })],
    providers: [OrdersService, Mailer, { provide: 'OrderRepository', useFactory: repository, inject: [DataSource] }],
  }).compile();
  return module.init();
}

const repository = (dataSource: DataSource) => dataSource.getRepository(Order);

describe('a module for tests', () => {
  let app: INestApplicationContext;
  let queue: TestingQueue;
  let orders: OrdersService;
  beforeEach(async () => {
    app = await start();
    queue = testingQueue(app);
    orders = app.get(OrdersService);
  });
  afterEach(() => app.close());

  test('creating an order sends a mail', async () => {
    await orders.create('ada@example.com');
    await queue.expectEnqueued(sendEmail, { payload: { to: 'ada@example.com' }, key: 'order:1' });
    await queue.drain();
    expect(app.get(Mailer).sent).toEqual(['ada@example.com']);
  });

  test('each application has its own database, and nothing runs automatically', async () => {
    await queue.expectNotEnqueued();
    expect(testingQueue(app)).toBe(queue);
    expect(orders.ticks).toBe(0);
    expect(app.get(Mailer).started).toBe(true);
    const dataSource = app.get(DataSource);
    expect(await dataSource.query('SELECT 1 FROM tq_worker')).toEqual([]);
    expect((await app.get(TableQueue).recurring.list()).map(({ name }) => name)).toEqual(['report']);
  });

  test('an error of a handler is seen; the clock brings the retry', async () => {
    await orders.create('nobody');
    await expect(queue.drain()).rejects.toThrow(DrainFailedError);
    queue.clock.advance('1m');
    expect(await queue.drain()).toMatchObject([{ name: 'email.send', attempt: 2, outcome: 'succeeded' }]);
    queue.clock.advance('1d');
    expect((await queue.drain()).map(({ name }) => name).sort()).toEqual(['order.cancel-unpaid', 'report']);
  });

  test('inline, the mail is sent when the order is there', async () => {
    queue.runInline();
    await orders.create('ada@example.com');
    expect(app.get(Mailer).sent).toEqual(['ada@example.com']);
  });
});

test('with a clock that moves Date, code and database agree; closing restores Date', async () => {
  const clock = new TestingClock({ date: true });
  const RealDate = Date;
  const app = await start({ clock });
  const queue = testingQueue(app);
  await app.get(OrdersService).create('ada@example.com');
  queue.clock.advance('15m');
  expect(queue.clock).toBe(clock);
  await queue.drain();
  expect(await app.get(DataSource).getRepository(Order).find()).toMatchObject([{ state: 'cancelled' }]);
  expect(Date).not.toBe(RealDate);
  await app.close();
  expect(Date).toBe(RealDate);
});

test('before it is initialized there is no queue; wrong options are refused', async () => {
  const module = await Test.createTestingModule({ imports: [TableQueueTestingModule.forRoot()] }).compile();
  expect(() => testingQueue(module)).toThrow(TestingStateError);
  await module.close();
  expect(() => TableQueueTestingModule.forRoot({ prefix: '1' })).toThrow(InvalidOptionError);
  await expect(start({ concurrency: 0 })).rejects.toThrow(InvalidOptionError);
});

test('closing waits for inline runs', async () => {
  const app = await start();
  const queue = testingQueue(app);
  queue.runInline();
  const created = app.get(OrdersService).create('ada@example.com');
  await queue.waitFor(sendEmail, { timeout: '10s' });
  await app.close();
  await created;
  expect(app.get(Mailer).sent).toEqual(['ada@example.com']);
});
