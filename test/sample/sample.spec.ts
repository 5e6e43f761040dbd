import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { type OrderWithJobs, SHOP, Shop, type ShopJob, shopEnvironment } from '../support/shop.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

// It has three processes to start.
jest.setTimeout(120_000);

const newOrder = { item: 'a lamp', email: 'mary@example.com', cents: 4200 };

describeEach('the sample shop', (engine) => {
  let program: ChildProcess;
  let shop: Shop;
  afterAll(() => program.end('SIGTERM'));
  const database = useDatabase(engine, createEmptyDatabase);
  beforeAll(async () => {
    program = ChildProcess.start(SHOP, { ...shopEnvironment(database), DEMO: 'off', JOURNAL: 'on' });
    shop = await Shop.of(program);
    // Otherwise an order may be cancelled before it can be paid.
    await shop.untilWorking();
  });

  async function post(path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const response = await shop.send('POST', path, body);
    return { status: response.status, body: await response.json() };
  }

  async function placeOrder(): Promise<number> {
    const { status, body } = await post('/orders', newOrder);
    expect(status).toBe(201);
    return (body as OrderWithJobs['order']).id;
  }

  test('an order is created, paid and delivered; its cancellation is cancelled', async () => {
    const id = await placeOrder();
    await shop.untilJob(id, 'mail.send', 'succeeded');
    await shop.untilJob(id, 'order.cancel-unpaid', 'scheduled');

    expect((await post(`/orders/${id}/pay`)).status).toBe(200);
    await shop.untilJob(id, 'order.cancel-unpaid', 'cancelled');
    await shop.untilJob(id, 'payment.notice', 'succeeded');
    const [listed] = await shop.get<OrderWithJobs[]>('/orders');
    expect(listed?.order).toMatchObject({ id, status: 'paid' });
    expect((await post(`/orders/${id}/pay`)).status).toBe(409);
    expect(program.output).toContain(`mail "order-received" sent to ${newOrder.email}`);
  });

  test('an expensive order is packed, waits for its release, and is shipped', async () => {
    const id = await placeOrder();
    await post(`/orders/${id}/pay`);
    const job = await shop.untilJob(id, 'order.ship', 'scheduled');
    const { status } = await post(`/queues/api/jobs/${job.id}/signal`, { signal: 'released', data: { by: 'ada' } });
    expect(status).toBe(200);
    await shop.untilJob(id, 'label.print', 'running');
    await shop.killBusyWorker();
    await shop.untilJob(id, 'order.ship', 'succeeded');
    const label = await shop.untilJob(id, 'label.print', 'succeeded');
    const { lines } = await shop.get<{ lines: { message: string }[] }>(`/queues/api/jobs/${label.id}/log`);
    expect(lines.at(-1)?.message).toBe('printed');
    expect((await shop.get<OrderWithJobs>(`/orders/${id}`)).order.status).toBe('shipped');
    const journal = program.output.split('\n').filter((line) => line.startsWith(`order ${id} `));
    const count = (text: string) => journal.filter((line) => line.endsWith(text)).length;
    expect([count(' packed'), count(' released by ada'), count(' label: printed')]).toEqual([1, 1, 1]);
    await waitFor('the review is asked for', () => program.output.includes(`mail "review" sent to ${newOrder.email}`));
  });

  test('an intended failure prints one line', async () => {
    const order = { ...newOrder, email: 'mary@example.invalid' };
    const { body } = await post('/orders', order);
    await shop.untilJob((body as OrderWithJobs['order']).id, 'mail.send', 'failed');
    await waitFor('the failure is printed', () =>
      program.output.includes(`failed for good: 550 There is no mailbox ${order.email}.`),
    );
    expect(program.output).not.toMatch(/^ +at /m);
  });

  test('invalid requests are rejected and store nothing', async () => {
    const before = await shop.get<OrderWithJobs[]>('/orders');
    expect((await post('/orders', { ...newOrder, email: 'nobody' })).status).toBe(400);
    expect((await post('/orders/4711/pay')).status).toBe(404);
    expect((await fetch(`${shop.address}/orders/4711`)).status).toBe(404);
    expect((await post('/controls/orders', { count: 0 })).status).toBe(400);
    expect((await shop.send('PUT', '/controls/receiver', { mood: 'merry' })).status).toBe(400);
    expect((await shop.send('DELETE', '/controls/workers/0')).status).toBe(404);
    expect((await shop.get<OrderWithJobs[]>('/orders')).map(({ order }) => order)).toEqual(
      before.map(({ order }) => order),
    );
  });

  test('a rejected notice is retried until the receiver recovers', async () => {
    const id = await placeOrder();
    await shop.send('PUT', '/controls/receiver', { mood: 'failing' });
    await post(`/orders/${id}/pay`);
    const waiting = await shop.untilJob(id, 'payment.notice', 'scheduled');
    expect(waiting.attempt).toBeGreaterThanOrEqual(1);
    await shop.send('PUT', '/controls/receiver', { mood: 'a little unwell' });
    const delivered = await shop.untilJob(id, 'payment.notice', 'succeeded');
    expect(delivered.attempt).toBeGreaterThan(waiting.attempt);
  });

  test('the jobs of a killed worker run again, and the worker is replaced', async () => {
    const { body } = await post('/orders', { ...newOrder, cents: 1900 });
    await post(`/orders/${(body as OrderWithJobs['order']).id}/pay`);
    const { name, jobs } = await shop.killBusyWorker();
    const again = await waitFor('its jobs have succeeded', async () => {
      const killed = (await shop.controls()).killed.find((worker) => worker.name === name);
      return killed?.jobs.every(({ state }) => state === 'succeeded') && killed.jobs;
    });
    // Each wait of a durable job adds one.
    const isPlain = ({ name: job }: ShopJob) => job !== 'order.ship';
    const attempts = jobs.filter(isPlain).map(({ attempt }) => attempt + 1);
    expect(again.filter(isPlain).map(({ attempt }) => attempt)).toEqual(attempts);
    await waitFor('a new worker has replaced it', async () => {
      const { workers } = await shop.controls();
      return workers.length === 2 && workers.every((worker) => worker.name !== name);
    });
  });
});
