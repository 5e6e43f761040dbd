import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';
import { rowsOf } from '../support/page-parts.js';
import { waitFor } from '../support/wait-for.js';

const pages = mockedBrowser();

const box = (page: Page) => page.getByRole('searchbox', { name: 'Search all jobs' });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** Opens a page, and searches for a text in the box at the top. */
async function search(text: string, from = 'workers') {
  const { page } = await pages.visit(from);
  await settled(page);
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname.endsWith('/search') && url.searchParams.get('text') === text.trim());
  return page;
}

test('a text is searched in all states, further on demand', async () => {
  const page = await search(' invoice ');
  await page.getByRole('heading', { name: 'Search', exact: true }).waitFor();
  await rowsOf(page).first().waitFor();
  expect(await rowsOf(page).count()).toBe(20);
  expect(new Set(await page.locator('td[data-label="Found in"]').allTextContents())).toEqual(new Set(['name']));
  await page.getByText(/^20 jobs searched so far: all that were created since 1 hr/).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  while ((await button(page, 'Search on').count()) > 0) {
    const before = await rowsOf(page).count();
    await button(page, 'Search on').click();
    await waitFor('more are found', async () => (await rowsOf(page).count()) > before);
  }
  await page.getByText(/^All jobs were searched: \d+ jobs\.$/).waitFor();
  expect(await box(page).inputValue()).toBe('invoice');
  await rowsOf(page).first().getByRole('link').first().click();
  await page.waitForURL(/\/jobs\/0193f5a1/);
  expect(await box(page).inputValue()).toBe('');
});

test('one state is shown, and the others are named', async () => {
  const page = await search('invoice');
  await button(page, /^running \(\d+\)$/).click();
  await page.getByText('Only running jobs are shown.').waitFor();
  await rowsOf(page).first().waitFor();
  expect(new Set(await page.locator('td[data-label="State"]').allTextContents())).toEqual(new Set(['running']));
  await page.getByText('Also found in').waitFor();
  await button(page, 'Show all states').click();
  await page.getByText('Only running jobs are shown.').waitFor({ state: 'detached' });
});

test('payloads are searched if asked, and a refusal shows its reason', async () => {
  const page = await search('bulb');
  await page.getByRole('heading', { name: 'No job found' }).waitFor();
  await page.getByRole('checkbox', { name: 'Search payloads too' }).check();
  await rowsOf(page).first().waitFor();
  expect(new Set(await page.locator('td[data-label="Found in"]').allTextContents())).toEqual(new Set(['payload']));
  await page.route('**/api/jobs/search?*', (route) =>
    route.fulfill({
      status: 403,
      json: { title: 'Not allowed', status: 403, detail: 'This dashboard hides payloads.' },
    }),
  );
  await page.reload();
  await page.getByRole('alert').getByText('This dashboard hides payloads.').waitFor();
});

test('a filter of one state without a match leads to the search in all states', async () => {
  const { page } = await pages.visit('jobs?state=waiting&tenant=initech&key=order:1');
  await page.getByRole('link', { name: 'Search all states for “order:1”' }).click();
  await page.waitForURL(/\/search\?text=order%3A1/);
  await page.getByRole('heading', { name: 'No job found' }).waitFor();
});
