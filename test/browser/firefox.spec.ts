import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { JobDetail, JobPage } from '@tablequeue/dashboard';
import type { Page } from 'puppeteer-core';

import { type FirefoxVisit, TestFirefox } from '../support/firefox.js';
import { MockPages } from '../support/mock-pages.js';
import { JOB_PATH, PAGES } from '../support/mocked-browser.js';
import { waitFor } from '../support/wait-for.js';

let firefox: TestFirefox;
let pages: MockPages;
beforeAll(async () => {
  [firefox, pages] = await Promise.all([TestFirefox.start(), MockPages.start()]);
});
afterEach(() => firefox.closeVisits());
afterAll(async () => {
  await firefox.close();
  await pages.stop();
});

/** What can have the focus in a dialog. */
const CONTROLS = 'dialog :is(input, textarea, button:enabled)';

/** Selects by the role and the name that Firefox computes for assistive technology. */
const named = (role: string, name: string) => `::-p-aria([name="${name}"][role="${role}"])`;
const containing = (parent: string, text: string) => `${parent} ::-p-text(${text})`;

async function open(path: string, look?: Parameters<TestFirefox['visit']>[1]): Promise<FirefoxVisit> {
  const visit = await firefox.visit(`${pages.url}${path}`, look);
  await settled(visit.page);
  return visit;
}

async function settled(page: Page): Promise<void> {
  await find(page, 'h1');
  await until(page, `document.querySelector('.skeleton') === null`);
}

/** Not by Puppeteer's `waitForFunction`, which the policy of the pages forbids. */
const until = (page: Page, condition: string) =>
  waitFor(condition, async () => (await page.evaluate(condition)) === true);
/** Waits for an element. */
const find = (page: Page, selector: string) => waitFor(selector, async () => (await page.$(selector)) ?? undefined);
const gone = (page: Page, selector: string) => waitFor(`no ${selector}`, async () => (await page.$(selector)) === null);
const click = async (page: Page, selector: string) => (await find(page, selector)).click();
const connection = (page: Page, text: string) => find(page, containing('.connection', text));

/** Reads the mock API as the page does. */
async function read<T>(path: string): Promise<T> {
  return (await (await fetch(`${pages.url}api/${path}`)).json()) as T;
}

test('the overview and its verdict are shown, without an error', async () => {
  const { page, errors } = await open('');
  await find(page, named('heading', '1 problem needs you'));
  expect(await page.$$eval('[aria-label="Problems"] > li', (items) => items.length)).toBe(2);
  await find(page, named('table', 'Queues'));
  await until(page, `document.querySelectorAll('table tbody tr').length > 3`);
  expect(await page.title()).toBe('Overview · Tablequeue');
  expect(errors).toEqual([]);
});

test('links lead to pages, with the focus on the heading, and back', async () => {
  const { page, errors } = await open('');
  await click(page, containing('.navigation', 'Workers'));
  await until(page, `document.activeElement.matches('h1') && document.activeElement.textContent === 'Workers'`);
  await find(page, containing('main', 'worker-1'));
  await page.evaluate('history.back()');
  await find(page, named('heading', 'Overview'));
  await find(page, named('heading', 'Queues'));
  expect(page.url()).toBe(pages.url);
  expect(errors).toEqual([]);
});

test('the list of jobs is filtered by state and queue', async () => {
  const { page, errors } = await open('jobs');
  const shown = () => page.$$eval('[data-job]', (rows) => rows.map((row) => row.getAttribute('data-job')));
  const listed = async (query: string) => (await read<JobPage>(`jobs?${query}`)).jobs.map(({ id }) => id);
  await click(page, containing('.tabs', 'Failed'));
  await until(page, `location.search === '?state=failed' && !document.querySelector('.is-old')`);
  const failed = await listed('state=failed');
  await waitFor('the failed jobs', async () => String(await shown()) === String(failed));
  await find(page, containing('.filters option', 'payments'));
  await page.select('.filters select', 'payments');
  await until(page, `location.search.includes('queue=payments') && !document.querySelector('.is-old')`);
  const ofQueue = await listed('state=failed&queue=payments');
  expect(ofQueue.length).toBeGreaterThan(1);
  await waitFor('the failed jobs of the queue', async () => String(await shown()) === String(ofQueue));
  expect(errors).toEqual([]);
});

test('the page of a job shows its payload, its attempts and its log', async () => {
  const { page, errors } = await open(JOB_PATH);
  const { payload, attempts } = await read<JobDetail>(JOB_PATH);
  await find(page, containing('[role="log"]', 'Connected to mx1.shop.example'));
  expect(await page.$$eval('.log-line', (lines) => lines.length)).toBe(3);
  const code = await page.$eval('[aria-label="payload"]', ({ textContent }) => textContent);
  expect(JSON.parse(code ?? '')).toEqual(payload);
  const numbers = await page.$$eval('.timeline-head > span:first-child', (heads) =>
    heads.map(({ textContent }) => textContent),
  );
  expect(numbers.filter((text) => text?.startsWith('Attempt '))).toHaveLength(attempts.length);
  expect(errors).toEqual([]);
});

test('the graph of a job is drawn, and each text fits into its node', async () => {
  const { page, errors } = await open(`${JOB_PATH}/graph`);
  await find(page, named('group', 'Graph of the job'));
  const nodes = (await page.evaluate(`[...document.querySelectorAll('.graph-node')].map((node) => {
    const box = node.querySelector('rect').getBoundingClientRect();
    const texts = [...node.querySelectorAll('text')].map((text) => text.getBoundingClientRect());
    return { width: box.width, isCut: texts.some(({ left, right }) => left < box.left || right > box.right) };
  })`)) as { width: number; isCut: boolean }[];
  expect(nodes.length).toBeGreaterThan(10);
  expect(nodes.filter(({ width, isCut }) => width < 50 || isCut)).toEqual([]);
  const lengths = (await page.evaluate(
    `[...document.querySelectorAll('.graph-edge path')].map((path) => path.getTotalLength())`,
  )) as number[];
  expect(lengths.length).toBeGreaterThan(20);
  expect(Math.min(...lengths)).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});

test('a dialog keeps the focus, closes by Escape, and returns the focus', async () => {
  const { page, errors } = await open(JOB_PATH);
  const button = await find(page, named('button', 'Edit payload'));
  await button.focus();
  await page.keyboard.press('Enter');
  await find(page, 'dialog[open]');
  const controls = await page.$$eval(CONTROLS, (all) => all.length);
  const reached = new Set<string>();
  for (let pressed = 0; pressed < 2 * controls + 2; pressed++) {
    const stop = await page.evaluate(`(() => {
      const focused = document.activeElement;
      // Behind the last, the focus goes to the window of the browser.
      return focused === document.body ? 'window' : [...document.querySelectorAll('${CONTROLS}')].indexOf(focused);
    })()`);
    reached.add(String(stop));
    await page.keyboard.press('Tab');
  }
  reached.delete('window');
  expect([...reached].sort()).toEqual(Array.from({ length: controls }, (_, index) => String(index)));
  await page.keyboard.press('Escape');
  await gone(page, 'dialog');
  await until(page, `document.activeElement.textContent === 'Edit payload'`);
  expect(errors).toEqual([]);
});

test('keyboard shortcuts move, show the help and search', async () => {
  const { page, errors } = await open('jobs?state=failed');
  const focused = () => page.evaluate(`document.activeElement.closest('[data-job]')?.dataset.job`);
  const ids = await page.$$eval('[data-job]', (rows) => rows.map((row) => row.getAttribute('data-job')));
  await page.keyboard.press('j');
  expect(await focused()).toBe(ids[0]);
  await page.keyboard.press('j');
  expect(await focused()).toBe(ids[1]);
  await page.keyboard.press('?');
  await find(page, named('dialog', 'Keyboard shortcuts'));
  await page.keyboard.press('Escape');
  await gone(page, 'dialog');
  expect(await focused()).toBe(ids[1]);
  // Firefox has a key of its own for this: it opens its search in the page.
  await page.keyboard.press('/');
  await page.keyboard.type('?j');
  expect(await page.$eval('.filters input', (field) => (field as unknown as { value: string }).value)).toBe('?j');
  expect(errors).toEqual([]);
});

test('the dark theme is kept, from the first paint on', async () => {
  const { page, errors } = await open('');
  const colors = async () =>
    (await page.evaluate(
      `(({ colorScheme, backgroundColor }) => [colorScheme, backgroundColor])(getComputedStyle(document.documentElement))`,
    )) as [string, string];
  const [, light] = await colors();
  await click(page, '.theme [title="Dark"]');
  await until(page, `getComputedStyle(document.documentElement).colorScheme === 'dark'`);
  const [, dark] = await colors();
  expect(dark).not.toBe(light);
  await page.reload();
  expect(await colors()).toEqual(['dark', dark]);
  expect(errors).toEqual([]);
});

test('no page is wider than a phone, or has an error', async () => {
  const { page, errors } = await open('', { width: 390 });
  const tooWide: string[] = [];
  for (const [name, path] of PAGES) {
    await page.goto(`${pages.url}${path}`);
    await settled(page);
    // Without the scroll bar.
    const excess = Number(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    );
    if (excess > 0) {
      tooWide.push(`${name}: ${excess}`);
    }
  }
  expect(tooWide).toEqual([]);
  expect(errors).toEqual([]);
});

test('a retry is sent, and confirmed by a notice', async () => {
  const { page, errors } = await open(JOB_PATH);
  const sent = page.waitForRequest((request) => request.url() === `${pages.url}api/${JOB_PATH}/retry`);
  await click(page, named('button', 'Retry'));
  const request = await sent;
  expect(request.method()).toBe('POST');
  expect(request.headers()).toMatchObject({ 'x-tablequeue-dashboard': '1', 'content-type': 'application/json' });
  await find(page, containing('.notices', 'Retried'));
  await find(page, containing('.page-heading', 'ready'));
  expect(errors).toEqual([]);
});

test('the overview is updated by events', async () => {
  const { page, errors } = await open('');
  await connection(page, 'Live');
  const polls: string[] = [];
  page.on('request', (request) => polls.push(request.url()));
  const change = async (action: 'pause' | 'resume') => {
    await fetch(`${pages.url}api/queues/mail/${action}`, { method: 'POST', body: '{}' });
    const isPaused = `[...document.querySelectorAll('tbody tr')].some(({ textContent }) => /^mail *paused/.test(textContent))`;
    await until(page, `${isPaused} === ${action === 'pause'}`);
  };
  await change('pause');
  await change('resume');
  expect(polls.filter((url) => url.includes('/api/overview'))).toEqual([]);
  expect(errors).toEqual([]);
});

test('without events the page polls, and shows when the server is gone', async () => {
  const { page } = await open('', { mode: 'silent' });
  await connection(page, 'Polling');
  const own = await MockPages.start();
  const other = await firefox.visit(own.url);
  try {
    await connection(other.page, 'Live');
  } finally {
    await own.stop();
  }
  await connection(other.page, 'Disconnected since');
  await find(other.page, named('heading', 'Queues'));
});
