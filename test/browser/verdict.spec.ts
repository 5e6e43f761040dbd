import { expect, test } from '@jest/globals';
import type { Overview } from '@tablequeue/dashboard';

import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

/** Opens the overview with another answer of the API. */
async function visitWith(change: (overview: Overview) => Overview, path = '') {
  const { page, ...rest } = await pages.visit('audit');
  await page.route('**/api/live*', (route) => route.abort());
  await page.route('**/api/overview*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as Overview) });
  });
  await page.goto(`${pages.url}${path}`);
  await settled(page);
  return { page, ...rest };
}

test('problems are counted, and each has a time, what helps, and a link', async () => {
  const { page } = await pages.visit('');
  await settled(page);
  expect(await page.getByRole('heading', { name: '1 problem needs you' }).count()).toBe(1);
  const items = await page.getByRole('list', { name: 'Problems' }).getByRole('listitem').allInnerTexts();
  expect(items).toHaveLength(2);
  expect(items[0]).toMatch(/23% of the attempts of "payments" have failed.* Since .*Look at the errors/s);
  await page.getByRole('link', { name: 'See payments' }).click();
  await settled(page);
  expect(await page.getByRole('list', { name: 'Problems' }).getByRole('listitem').count()).toBe(1);
});

test('notices leave all well; without them nothing follows', async () => {
  const { page } = await visitWith((overview) => ({
    ...overview,
    status: 'notice',
    problems: overview.problems.slice(1),
  }));
  expect(await page.getByText(/^All is well\. \d+ queues, 3 workers, 1 note\.$/).count()).toBe(1);
  expect(await page.getByText('Jobs wait in 1 paused queue: reports.').count()).toBe(1);
  const calm = await visitWith((overview) => ({ ...overview, status: 'ok', problems: [] }));
  expect(await calm.page.getByText(/^All is well\. \d+ queues, 3 workers\.$/).count()).toBe(1);
  expect(await calm.page.getByRole('list', { name: 'Problems' }).count()).toBe(0);
});

test('a problem of many queues is one line, which filters the table', async () => {
  const { page } = await visitWith((overview) => ({
    ...overview,
    problems: overview.problems.map((problem) => ({ ...problem, count: 2 })),
  }));
  const table = page.getByRole('table', { name: 'Queues' });
  const rows = () => table.getByRole('row').count();
  const all = await rows();
  await page.getByRole('link', { name: 'See 2 queues' }).first().click();
  // The made-up answers know only one.
  await page.getByText(/^1 of \d+ queues: failing attempts\./).waitFor();
  expect(await rows()).toBe(2);
  await table.getByRole('button', { name: 'Ready', exact: true }).click();
  expect(new URL(page.url()).searchParams.get('problem')).toBe('failing-attempts');
  expect(await rows()).toBe(2);
  await page.getByRole('link', { name: 'Show all queues' }).click();
  await page.getByText(/^1 of \d+ queues/).waitFor({ state: 'detached' });
  expect(await rows()).toBe(all);
});

test('totals are marked as estimates and minima, with age and trend', async () => {
  const { page } = await visitWith((overview) => {
    const { ready, scheduled } = overview.totals;
    const estimate = { ...ready, count: 105_004, isEstimate: true, countedAt: Date.now() - 4_000, perMinute: -9_000 };
    const minimum = { ...scheduled, count: 5_000, isCapped: true };
    return { ...overview, totals: { ...overview.totals, ready: estimate, scheduled: minimum } };
  });
  const tiles = page.getByRole('list', { name: 'Jobs by state' });
  const ready = await tiles.getByRole('listitem').filter({ hasText: 'Ready' }).innerText();
  expect(ready.replaceAll(/\s+/g, ' ')).toMatch(/≈ 105K.* falling by 9,000\/min$/i);
  expect(await tiles.getByTitle(/^105,004, counted .+ ago while jobs moved on$/).count()).toBe(1);
  expect(await tiles.getByRole('listitem').filter({ hasText: 'Scheduled' }).innerText()).toMatch(/5,000\+/);
  expect(await tiles.getByTitle('At least: counting goes on').count()).toBe(1);
});
