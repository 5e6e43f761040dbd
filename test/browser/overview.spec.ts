import { expect, test } from '@jest/globals';
import type { Series } from '@tablequeue/dashboard';
import type { Page } from 'playwright-core';

import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';
import { waitFor } from '../support/wait-for.js';

const pages = mockedBrowser();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test('the number of failed jobs links to the failed jobs of the last day', async () => {
  const { page } = await pages.visit('');
  await settled(page);
  const asked = page.waitForRequest((request) => request.url().includes('/api/jobs?'));
  await page.getByRole('link', { name: 'Failed, last day' }).click();
  const { searchParams } = new URL((await asked).url());
  expect(searchParams.get('state')).toBe('failed');
  // The list moves on by the minute.
  const back = Date.now() - Number(searchParams.get('from'));
  expect(back).toBeGreaterThanOrEqual(DAY);
  expect(back).toBeLessThan(DAY + 2 * MINUTE);
  expect(await page.getByLabel('Time').locator('option:checked').textContent()).toBe('Last day');
});

/** Changes the JSON that a path of the API returns. */
const change = <T>(page: Page, path: string, changed: (json: T) => T) =>
  page.route(path, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: changed((await response.json()) as T) });
  });

const table = (page: Page) => page.getByRole('table', { name: 'Queues' });
const rows = (page: Page) => table(page).getByRole('row');
const namesIn = (page: Page) => table(page).getByRole('rowheader').getByRole('link').allTextContents();

test('many queues are listed page by page, and sorted on all pages', async () => {
  const { page, errors } = await pages.visit('', { mode: 'many' });
  await page.getByText('1–50 of 126').waitFor();
  // With the header.
  expect(await rows(page).count()).toBe(51);
  const names = await namesIn(page);
  expect(names.indexOf('tenant-10') - names.indexOf('tenant-9')).toBe(1);
  const pager = page.getByRole('navigation', { name: 'Pages of the queues' });
  expect(await pager.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
  // Until the next page is there, the buttons belong to this one.
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/queues?*offset=50*', async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest('**/api/queues?*offset=50*');
  await pager.getByRole('button', { name: 'Next' }).click();
  await asked;
  expect(await page.getByText('1–50 of 126').count()).toBe(1);
  release();
  await page.getByText('51–100 of 126').waitFor();
  expect(new URL(page.url()).searchParams.get('from')).toBe('50');
  expect((await namesIn(page)).filter((name) => names.includes(name))).toEqual([]);
  await pager.getByRole('button', { name: 'Next' }).click();
  await page.getByText('101–126 of 126').waitFor();
  expect(await pager.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);

  await table(page).getByRole('button', { name: 'Ready', exact: true }).click();
  await page.getByText('1–50 of 126').waitFor();
  expect((await namesIn(page)).slice(0, 2)).toEqual(['tenant-119', 'tenant-118']);
  await pager.getByRole('button', { name: 'Next' }).click();
  await page.getByText('51–100 of 126').waitFor();
  await page.getByRole('searchbox', { name: 'Name contains' }).fill('TENANT-1');
  await page.getByText('31 of 126 queues').waitFor();
  expect((await namesIn(page))[0]).toBe('tenant-119');
  expect(await pager.count()).toBe(0);
  expect(errors).toEqual([]);
});

test('many queues are filtered by name and by trouble, and Back restores the filter and the scroll position', async () => {
  const { page } = await pages.visit('', { mode: 'many' });
  await settled(page);
  // The tooltip and screen readers have all of a long name.
  const long = `imports:${'x'.repeat(40)}:nightly`;
  await table(page).getByTitle(long).waitFor();
  await table(page)
    .getByText(/^imports:x+…x+:nightly$/)
    .waitFor();
  await table(page).getByRole('link', { name: long }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  const hidden = await table(page).evaluate(
    (element) => element.scrollWidth - (element.parentElement?.clientWidth ?? 0),
  );
  expect(hidden).toBeLessThanOrEqual(0);

  await page.getByRole('searchbox', { name: 'Name contains' }).fill('TENANT-1');
  await page.getByText('31 of 126 queues').waitFor();
  await table(page).getByRole('link', { name: 'tenant-119' }).click();
  await page.getByRole('heading', { level: 1, name: 'tenant-119' }).waitFor();
  await waitFor('a new page begins at its top', async () => (await page.evaluate('scrollY')) === 0);
  await page.goBack();
  await page.getByText('31 of 126 queues').waitFor();

  await page.getByRole('checkbox', { name: 'Only trouble (2)' }).check();
  await page.getByRole('searchbox', { name: 'Name contains' }).fill('');
  await page.getByText('2 of 126 queues').waitFor();
  expect(await namesIn(page)).toEqual(['payments', 'reports']);
});

test('Back and a reload restore the scroll position', async () => {
  const { page } = await pages.visit('jobs?state=succeeded');
  await settled(page);
  const scrolled = () => page.evaluate<number>('scrollY');
  await page.evaluate('scrollTo(0, 900)');
  await page.locator('[data-job]').nth(25).getByRole('rowheader').getByRole('link').click();
  await page.getByRole('heading', { name: 'Attempts' }).waitFor();
  await waitFor('a new page begins at its top', async () => (await scrolled()) === 0);
  await page.goBack();
  await waitFor('the position is restored', async () => (await scrolled()) >= 800);
  const restored = await scrolled();
  await page.reload();
  await waitFor('the position is restored after a reload', async () => (await scrolled()) === restored);
});

test('charts have whole ticks and labels, and the right figures for screen readers', async () => {
  const { page } = await pages.visit('favicon.svg');
  await page.addInitScript(`
    window.drawn = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      const { width } = this.measureText(text);
      const behind = this.textAlign === 'center' ? width / 2 : 0;
      const right = this.getTransform().transformPoint(new DOMPoint(x, y)).x + behind;
      window.drawn.push({ text, right, width: this.canvas.width });
      fillText.call(this, text, x, y);
    };
  `);
  await change<Series>(page, '**/api/series?*', (series) => ({
    ...series,
    points: series.points.map((point, index) => ({
      ...point,
      succeeded: index === 20 ? 1 : 0,
      retried: 0,
      failed: index === 59 ? 1 : 0,
      ...(index === 20 && { latencyMean: 90_000, latencyMax: 90_000 }),
      ...(index === 59 && { latencyMean: 1000, latencyMax: 1000 }),
      ...(index !== 20 && index !== 59 && { latencyMean: null, latencyMax: null, runMean: null }),
    })),
  }));
  await page.goto(pages.url);
  await page.getByRole('img', { name: '1 succeeded, 0 retried, 1 failed in the last hour.' }).waitFor();
  await page.getByRole('img', { name: /45s on average, and 1m 30s at most/ }).waitFor();
  const drawn = await waitFor('the charts are drawn', async () => {
    const all = await page.evaluate<{ text: string; right: number; width: number }[]>('window.drawn');
    return all.some(({ text }) => text === '1') && all.some(({ text }) => text === '1m 30s') && all;
  });
  expect(drawn.filter(({ right, width }) => right > width)).toEqual([]);
  // Each chart is drawn more than once: a label may be there again, but not twice in a row.
  const ticks = drawn.map(({ text }) => text).filter((text) => /^\d+$/.test(text));
  expect(new Set(ticks)).toEqual(new Set(['0', '1']));
  expect(ticks.filter((text, index) => text === ticks[index - 1])).toEqual([]);
});
