import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';

import { violationsOf } from '../support/axe.js';
import { TestBrowser, THEMES, type Visit, WIDTHS } from '../support/browser.js';
import { ChildProcess } from '../support/child-process.js';
import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { SHOP, Shop, shopEnvironment } from '../support/shop.js';

// axe takes seconds for a page while other tests run.
jest.setTimeout(120_000);

let browser: TestBrowser;
let database: TestDatabase;
let program: ChildProcess;
let shop: Shop;
beforeAll(async () => {
  database = await createEmptyDatabase('sqlite');
  program = ChildProcess.start(SHOP, { ...shopEnvironment(database), DEMO: 'off' });
  [browser, shop] = await Promise.all([TestBrowser.start(), Shop.of(program)]);
});
afterEach(() => browser.closeVisits());
afterAll(async () => {
  await browser.close();
  await program.end('SIGTERM');
  await database.drop();
});

const open = (look = {}): Promise<Visit> => browser.visit(`${shop.address}/`, look);
const notified = ({ page }: Visit, text: string) => page.getByRole('status').getByText(text).waitFor();
const press = ({ page }: Visit, name: string) => page.getByRole('button', { name, exact: true }).click();
const lines = ({ page }: Visit, list: string) =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem');

test('orders can be placed, and their jobs link to the dashboard', async () => {
  const visit = await open();
  await press(visit, 'Place an order');
  await notified(visit, 'An order was placed.');
  const order = lines(visit, 'Newest orders').first();
  await order.getByText('succeeded').first().waitFor();
  await order.getByRole('link', { name: 'mail.send' }).click();
  await visit.page.getByRole('heading', { level: 1, name: 'mail.send' }).waitFor();
});

test('the receiver can fail and recover', async () => {
  const visit = await open();
  await press(visit, 'Make it fail');
  await notified(visit, 'The receiver rejects all notices.');
  expect((await shop.controls()).receiver).toBe('failing');
  await press(visit, 'Heal it');
  await notified(visit, 'The receiver is back.');
  expect((await shop.controls()).receiver).toBe('a little unwell');
});

test('workers can be started, stopped and killed', async () => {
  const visit = await open();
  const workers = lines(visit, 'Workers');
  await workers.nth(1).waitFor();
  await press(visit, 'Start one more');
  await workers.nth(2).waitFor();
  await press(visit, 'Stop one');
  await workers.nth(2).waitFor({ state: 'detached' });
  const [killed] = (await shop.controls()).workers;
  const { name } = killed!;
  // The dashboard uses the same name.
  const dashboard = await browser.visit(`${shop.address}/queues/workers`);
  await dashboard.page.getByRole('heading', { name, exact: true }).waitFor();
  await press(visit, `Kill ${name}`);
  await notified(visit, `${name} was killed.`);
  await lines(visit, 'Jobs of the killed workers').filter({ hasText: name }).waitFor();
  // Its line was removed, and the focus moved.
  await visit.page.locator('button:focus', { hasText: 'Place an order' }).waitFor();
  await workers.filter({ hasText: name }).waitFor({ state: 'detached' });
  await workers.nth(1).waitFor();
  expect(await workers.count()).toBe(2);
});

test('a link keeps the focus while its text changes', async () => {
  const visit = await open();
  await press(visit, 'Place an order');
  await notified(visit, 'An order was placed.');
  const [newest] = await shop.get<{ order: { id: number } }[]>('/orders');
  const { id } = newest!.order;
  const order = lines(visit, 'Newest orders').filter({ hasText: new RegExp(`(^|\\s)${id}: `) });
  await order.getByRole('link', { name: 'order.cancel-unpaid' }).focus();
  await shop.send('POST', `/orders/${id}/pay`);
  await order.getByText('cancelled').waitFor();
  expect(await visit.page.evaluate('document.activeElement.textContent')).toBe('order.cancel-unpaid');
});

test.each(THEMES)('in the %s theme', async (theme) => {
  await shop.order(1);
  for (const width of WIDTHS) {
    const visit = await open({ theme, width });
    await lines(visit, 'Workers').first().waitFor();
    expect(await visit.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await violationsOf(visit.page)).toEqual([]);
    expect(visit.errors).toEqual([]);
  }
});
