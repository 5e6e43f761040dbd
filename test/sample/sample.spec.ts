import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { ChildProcess } from '../support/child-process.js';
import { waitFor } from '../support/wait-for.js';

interface Job {
  readonly name: string;
  readonly state: string;
  readonly attempt: number;
}

interface OrderWithJobs {
  readonly order: { readonly id: number; readonly status: string };
  readonly jobs: readonly Job[];
}

const SHOP = new URL('../../apps/sample/dist/main.js', import.meta.url);

const newOrder = { item: 'a lamp', email: 'mary@example.com', cents: 4200 };

describeEach('the sample shop', (engine) => {
  let database: TestDatabase;
  let shop: ChildProcess;
  let address: string;
  beforeEach(async () => {
    database = await createEmptyDatabase(engine);
    shop = ChildProcess.start(SHOP, {
      DATABASE_URL: engine === 'sqlite' ? `sqlite:${database.url}` : database.url,
      PORT: '0',
      DEMO: 'off',
    });
    address = await waitFor('the shop listens', () => /(http:\/\/\S+)\/orders/.exec(shop.output)?.[1]);
  });
  afterEach(async () => {
    await shop.end('SIGTERM');
    await database.drop();
  });

  async function post(path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    });
    return { status: response.status, body: await response.json() };
  }

  async function get<T>(path: string): Promise<T> {
    return (await (await fetch(`${address}${path}`)).json()) as T;
  }

  function untilJob(orderId: number, name: string, state: string): Promise<Job> {
    return waitFor(`${name} has ${state}`, async () =>
      (await get<OrderWithJobs>(`/orders/${orderId}`)).jobs.find((job) => job.name === name && job.state === state),
    );
  }

  test('an order is created, paid and delivered; its cancellation is cancelled', async () => {
    const { status, body } = await post('/orders', newOrder);
    const order = body as OrderWithJobs['order'];
    expect(status).toBe(201);
    await untilJob(order.id, 'mail.send', 'succeeded');
    await untilJob(order.id, 'order.cancel-unpaid', 'scheduled');

    expect((await post(`/orders/${order.id}/pay`)).status).toBe(200);
    await untilJob(order.id, 'order.cancel-unpaid', 'cancelled');
    const notice = await untilJob(order.id, 'payment.notice', 'succeeded');
    // The receiver accepts every third notice.
    expect(notice.attempt).toBe(3);
    await untilJob(order.id, 'invoice.write', 'succeeded');

    const [listed] = await get<OrderWithJobs[]>('/orders');
    expect(listed?.order).toMatchObject({ id: order.id, status: 'paid' });
    expect(listed?.jobs).toHaveLength(4);
    expect((await post(`/orders/${order.id}/pay`)).status).toBe(409);
    expect(shop.output).toContain(`mail "order-received" sent to ${newOrder.email}`);
  });

  test('what is wrong is refused and leaves nothing', async () => {
    expect((await post('/orders', { ...newOrder, email: 'nobody' })).status).toBe(400);
    expect((await post('/orders/4711/pay')).status).toBe(404);
    expect((await fetch(`${address}/orders/4711`)).status).toBe(404);
    expect(await get('/orders')).toEqual([]);
  });
});
