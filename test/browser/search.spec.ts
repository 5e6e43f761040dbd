import { afterEach, expect, test } from '@jest/globals';
import type { JobPage } from '@tablequeue/dashboard';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { hide, show } from '../support/hidden-page.js';
import { mockedBrowser } from '../support/mocked-browser.js';
import { rowsOf } from '../support/page-parts.js';
import { waitFor } from '../support/wait-for.js';

let searched: Page | undefined;
// Before the windows are closed, which would abort responses in progress.
afterEach(async () => {
  await searched?.unrouteAll({ behavior: 'wait' });
  searched = undefined;
});
const pages = mockedBrowser();

/** A response to a search: how many jobs it has found, and whether it is the last. */
interface Answer {
  readonly found: number;
  readonly isLast?: boolean;
}

/**
 * Opens a list with mocked responses and a mocked clock. The cursor of a response is the number of responses before it.
 */
async function search(answerOf: (at: number) => Answer) {
  const { page } = await pages.visit('favicon.svg');
  searched = page;
  const cursors: number[] = [];
  let open = 0;
  let mostOpen = 0;
  let found = 0;
  await page.route('**/api/jobs?*', async (route) => {
    const url = new URL(route.request().url());
    const at = Number(url.searchParams.get('cursor'));
    cursors.push(at);
    mostOpen = Math.max(mostOpen, ++open);
    url.searchParams.delete('cursor');
    url.searchParams.delete('error');
    const response = await route.fetch({ url: url.href });
    const body = (await response.json()) as JobPage;
    const answer = answerOf(at);
    const jobs = body.jobs
      .slice(0, answer.found)
      .map((job) => ({ ...job, id: job.id.slice(0, -6) + (100_000 + found++) }));
    open--;
    await route.fulfill({
      response,
      json: { ...body, jobs, next: answer.isLast ? null : String(at + 1), isPartial: !answer.isLast },
    });
  });
  await page.clock.install();
  await page.goto(`${pages.url}jobs?state=failed&error=rare`);
  await settled(page);
  return {
    page,
    /** The requested cursors, in order. */
    cursors,
    mostOpen: () => mostOpen,
    /** Advances the clock of the page by a minute. */
    wait: () => page.clock.runFor(60_000),
  };
}

const pager = (page: Page) => page.getByRole('navigation', { name: 'Pages of the list' });
const button = (page: Page, name: string) => pager(page).getByRole('button', { name });
const announced = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();

test('a search continues until all jobs are read, one request at a time', async () => {
  const { page, cursors, mostOpen, wait } = await search((at) => ({ found: at < 3 ? 0 : 2, isLast: at === 4 }));
  await announced(page, 'The search has ended: 4 jobs found.');
  expect(await rowsOf(page).count()).toBe(4);
  await pager(page).getByText('4 jobs, last failed first, no more').waitFor();
  await wait();
  expect(cursors).toEqual([0, 1, 2, 3, 4]);
  expect(mostOpen()).toBe(1);
});

test('a search continues until the page is full, and the next page continues from there', async () => {
  const { page, cursors, wait } = await search(() => ({ found: 20 }));
  await pager(page).getByRole('link', { name: 'Next page' }).waitFor();
  expect(await rowsOf(page).count()).toBe(60);
  await wait();
  expect(cursors).toEqual([0, 1, 2]);
  await pager(page).getByRole('link', { name: 'Next page' }).click();
  await page.waitForURL(/cursor=3/);
  await waitFor('the search continues from there', () => cursors.includes(5));
  expect(cursors).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a search shows its progress, can be stopped, and continues where it was', async () => {
  const { page, cursors, wait } = await search((at) => ({ found: at === 1 ? 1 : 0 }));
  await announced(page, 'The search continues.');
  await pager(page)
    .getByText(/^1 job found so far, in at least \d+,000 jobs, last failed first$/)
    .waitFor();
  await button(page, 'Stop searching').click();
  await announced(page, 'The search was stopped: 1 job found so far.');
  expect(await violationsOf(page)).toEqual([]);
  // One request may have been in progress.
  await page.clock.runFor(1000);
  const stoppedAt = cursors.length;
  await wait();
  expect(cursors).toHaveLength(stoppedAt);
  await button(page, 'Continue searching').click();
  await waitFor('it continues', () => cursors.length > stoppedAt + 1);
  expect(cursors).toEqual(cursors.map((_cursor, at) => at));
});

test('a long search is announced to screen readers from time to time', async () => {
  const { page, cursors } = await search(() => ({ found: 0 }));
  await page.getByRole('heading', { name: 'Nothing found so far' }).waitFor();
  await waitFor('many jobs were read', async () => {
    await page.clock.runFor(300);
    return cursors.length > 20;
  });
  await announced(page, 'The search continues: 100,000 jobs were read.');
});

test('a search pauses while the page is hidden, and while jobs are selected', async () => {
  const { page, cursors, wait } = await search((at) => ({ found: at === 0 ? 3 : 0 }));
  await waitFor('it continues', () => cursors.length > 2);
  await hide(page);
  await page.clock.runFor(1000);
  const hiddenAt = cursors.length;
  await wait();
  expect(cursors).toHaveLength(hiddenAt);
  await show(page);
  await waitFor('it continues where it was', () => cursors.length > hiddenAt + 1);
  expect(cursors).toEqual(cursors.map((_cursor, at) => at));

  await rowsOf(page).first().getByRole('checkbox').check();
  await page.getByText('1 job selected').waitFor();
  await page.clock.runFor(1000);
  const selectedAt = cursors.length;
  await wait();
  expect(cursors).toHaveLength(selectedAt);
});

test('after a change the search starts again, one request at a time', async () => {
  const { page, cursors, mostOpen } = await search((at) => ({ found: at === 0 ? 3 : 0 }));
  await page.route('**/api/jobs/bulk', (route) =>
    route.fulfill({ json: { action: 'retry', state: 'done', changed: 1, skipped: 0 } }),
  );
  await waitFor('it continues', () => cursors.length > 3);
  await button(page, 'Stop searching').click();
  await rowsOf(page).first().getByRole('checkbox').check();
  await page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: 'Retry' }).click();
  await page.clock.runFor(1000);
  cursors.length = 0;
  await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
  await page.locator('.notices').getByText('Retried 1 job.').waitFor();
  await waitFor('the list is read again', () => cursors.length > 0);
  await pager(page).getByText('in at least 5,000 jobs').waitFor();
  expect(new Set(cursors)).toEqual(new Set([0]));
  expect(mostOpen()).toBe(1);
});

test('a failed search shows the error, and a retry continues where it was', async () => {
  const { page, cursors } = await search((at) => ({ found: at === 0 ? 3 : 0, isLast: at === 2 }));
  await page.route(/\/api\/jobs\?.*cursor=1/, (route) => route.fulfill({ status: 500, json: { title: 'It broke' } }));
  await page.getByRole('alert').getByRole('heading', { name: 'It broke' }).waitFor();
  expect(await rowsOf(page).count()).toBe(3);
  await page.unroute(/\/api\/jobs\?.*cursor=1/);
  cursors.length = 0;
  await page.getByRole('button', { name: 'Try again' }).click();
  await announced(page, 'The search has ended: 3 jobs found.');
  expect(cursors).toEqual([1, 2]);
});

test('scheduled retries can be searched by their error too', async () => {
  const { page } = await pages.visit('jobs?state=scheduled');
  await settled(page);
  await page.getByRole('searchbox', { name: 'Error contains' }).fill('Smtp');
  await page.waitForURL(/error=Smtp/);
  await page.locator('.is-old').waitFor({ state: 'detached' });
  const errors = await rowsOf(page).locator('.job-error').allTextContents();
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.filter((error) => !error.includes('Smtp'))).toEqual([]);
  expect(errors).toHaveLength(await rowsOf(page).count());
});
