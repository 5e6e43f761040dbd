import { readdir, stat } from 'node:fs/promises';

import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { JOB_PATH, mockedBrowser } from '../support/mocked-browser.js';

const ASSETS = new URL('../../packages/dashboard/dist/pages/assets/', import.meta.url);
/** A job that waits for a group. */
const CALLBACK = 'jobs/0193f5a1-7c02-7b31-9d42-0000000000a2';

const pages = mockedBrowser();

const drawingOf = (page: Page) => page.getByRole('group', { name: 'Graph of the job' });
/** The names of the files that the page has loaded to draw graphs. */
const loaded = (page: Page) =>
  page.evaluate<number>(
    `performance.getEntriesByType('resource').filter(({ name }) => /graph-view/.test(name)).length`,
  );

test('each node is a link with its state in words, in a box that scrolls, and in a list', async () => {
  const { page, errors } = await pages.visit('', { theme: 'dark', width: 375 });
  await page.route('**/api/**/graph', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), isCut: true } });
  });
  await page.goto(`${pages.url}${JOB_PATH}/graph`);
  const drawing = drawingOf(page);
  await drawing.waitFor();
  const links = await drawing.getByRole('link').all();
  const labels = await Promise.all(links.map((link) => link.locator('title').textContent()));
  expect(labels).toHaveLength(14);
  expect(labels).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/, failed, this job$/),
      '12 earlier, steps, not shown here',
      'reserve, step, done',
      'approved, signal, late',
      'ship, child, open',
      '5,000 jobs, group, open',
      expect.stringMatching(/^\w+\.\w+, 3 failed jobs$/),
      'order.confirm, search.index and others, 1,020 pending jobs',
      'order.confirm, search.index and others, 3,977 succeeded jobs',
      expect.stringMatching(/^\w+\.\w+, waiting$/),
      expect.stringMatching(/^\w+\.\w+, running$/),
    ]),
  );
  await drawing.getByRole('link', { name: 'reserve, step, done', exact: true }).waitFor();
  await drawing.getByText('on failure').waitFor({ state: 'attached' });
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  const frame = page.locator('.graph-frame');
  expect(await frame.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeGreaterThan(100);
  await page.getByText('Not everything fits.').waitFor();
  await page.getByText('As a list').click();
  const rows = page.locator('.graph-list li');
  expect(await rows.count()).toBe(14);
  await rows.filter({ hasText: 'signal approved' }).getByText('after step reserve').waitFor();
  await rows.filter({ hasText: 'waiting' }).getByText('on failure of group of 5,000 jobs').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.unrouteAll({ behavior: 'wait' });
});

test('joined members lead to the list of these, by keyboard', async () => {
  const { page, errors } = await pages.visit(`${JOB_PATH}/graph`);
  await settled(page);
  const node = drawingOf(page).getByRole('link', { name: '3 failed jobs' });
  await node.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Members of a group' }).waitFor();
  const { pathname, searchParams } = new URL(page.url());
  expect(pathname).toMatch(/\/groups\/[0-9a-f-]{36}$/);
  expect(Object.fromEntries(searchParams)).toMatchObject({ outcome: 'failed', state: 'failed' });
  const name = searchParams.get('name')!;
  await page.locator('.relatives').getByRole('link', { name }).waitFor();
  await page.getByText(`Only ${name}, failed.`).waitFor();
  await page.getByRole('link', { name: 'Succeeded' }).click();
  await page.getByText(`Only ${name}`).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.locator('.relatives li').nth(42).waitFor();
  expect(errors).toEqual([]);
});

test('the page of a job loads nothing for graphs before its graph is opened', async () => {
  const { page } = await pages.visit(CALLBACK);
  const views = page.getByRole('navigation', { name: 'Views of the job' });
  await views.waitFor();
  expect(await loaded(page)).toBe(0);
  await views.getByRole('link', { name: 'Graph' }).click();
  await drawingOf(page).waitFor();
  expect(await loaded(page)).toBeGreaterThan(0);
  await views.getByRole('link', { name: 'Details' }).click();
  await page.getByRole('region', { name: 'Waits for' }).waitFor();
  await page.goto(`${pages.url}${JOB_PATH}`);
  await page.getByRole('region', { name: 'Attempts' }).waitFor();
  // Nothing depends on this one.
  expect(await views.count()).toBe(0);
});

test('what draws graphs has less than 100 kB', async () => {
  const [file, ...others] = (await readdir(ASSETS)).filter((name) => /^graph-view.*\.js$/.test(name));
  expect(others).toEqual([]);
  expect((await stat(new URL(file!, ASSETS))).size).toBeLessThan(100_000);
});
