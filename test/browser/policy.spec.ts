import 'reflect-metadata';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { TestBrowser, type Visit } from '../support/browser.js';
import { DashboardApplication } from '../support/dashboard.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { waitFor } from '../support/wait-for.js';

let browser: TestBrowser;
let database: TestDatabase;
let application: DashboardApplication;
let requested: string[];
beforeAll(async () => {
  database = await createDatabase('sqlite');
  application = await DashboardApplication.start(database);
  browser = await TestBrowser.start();
});
afterAll(async () => {
  await browser.close();
  await application.close();
  await database.drop();
});

/** Another origin. The test serves its requests, and a request that the policy forbids is not sent. */
const origin = 'http://elsewhere.example';

const FOREIGN = ['/style.css', '/script.js', '/image.png', '/frame', '/fetch', '/form'];

/** What an attacker could inject into the page. */
const PLANTED = `
  <script>ran.push("inline script")</script>
  <img src="/none" onerror="ran.push('handler')">
  <style>h1 { color: red }</style>
  <link rel="stylesheet" href="${origin}/style.css">
  <script src="${origin}/script.js"></script>
  <img src="${origin}/image.png">
  <iframe src="${origin}/frame"></iframe>
  <form action="${origin}/form"><button id="send">Send</button></form>`;

/** Opens the page with the injection, with the headers of the application or without its policy. */
async function open(hasPolicy: boolean): Promise<Visit & { ran: unknown }> {
  requested = [];
  const { page, errors } = await browser.visit('about:blank');
  await page.addInitScript('window.ran = []');
  await page.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    requested.push(pathname);
    const contentType = { '/script.js': 'text/javascript', '/style.css': 'text/css' }[pathname] ?? 'text/plain';
    const headers = { 'access-control-allow-origin': '*' };
    await route.fulfill({ contentType, headers, body: pathname === '/script.js' ? 'ran.push("foreign script")' : '' });
  });
  await page.route(`${application.url}/queues/`, async (route) => {
    const response = await route.fetch();
    const { 'content-security-policy': policy, ...headers } = response.headers();
    expect(policy).toBeDefined();
    const body = (await response.text()).replace('</body>', `${PLANTED}</body>`);
    await route.fulfill({
      body,
      headers: { ...headers, ...(hasPolicy && policy && { 'content-security-policy': policy }) },
    });
  });
  await page.goto(`${application.url}/queues/`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.evaluate(`fetch(${JSON.stringify(`${origin}/fetch`)}).catch(() => undefined)`);
  return { page, errors, ran: await page.evaluate('ran') };
}

test('injected code does not run, and reaches no other origin', async () => {
  const { page, ran, errors } = await open(true);
  expect(ran).toEqual([]);
  await page.locator('#send').click({ noWaitAfter: true });
  for (const path of FOREIGN) {
    await waitFor(`${path} is refused`, () =>
      errors.some((error) => error.includes(path === '/frame' ? `Framing '${origin}` : `${origin}${path}`)),
    );
  }
  expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).color')).not.toBe('rgb(255, 0, 0)');
  expect(requested).toEqual([]);
  expect(page.url()).toBe(`${application.url}/queues/`);
});

test('without the policy it runs', async () => {
  const { page, ran } = await open(false);
  expect(ran).toEqual(expect.arrayContaining(['inline script', 'handler', 'foreign script']));
  await page.locator('#send').click();
  await page.waitForURL(`${origin}/form?`);
  await waitFor('all requests are sent', () => FOREIGN.every((path) => requested.includes(path)));
});
