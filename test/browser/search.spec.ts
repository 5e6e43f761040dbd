import { afterEach, expect, test } from '@jest/globals';
import type { JobPage } from '@tablequeue/dashboard';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { hide, show } from '../support/hidden-page.js';
import { mockedBrowser } from '../support/mocked-browser.js';
import { waitFor } from '../support/wait-for.js';

let searched: Page | undefined;
// Before the windows are closed: what is being answered would be broken off with the page.
afterEach(async () => {
  await searched?.unrouteAll({ behavior: 'wait' });
  searched = undefined;
});
const pages = mockedBrowser();

/** An answer of a search: how many jobs it has found, and whether it has come to the end. */
interface Answer {
  readonly found: number;
  readonly isLast?: boolean;
}

/** Opens a list that is searched, with a clock of the test's own. The cursor of an answer is how many there were before it. */
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
    /** The cursors that were asked for, one after the other. */
    cursors,
    mostOpen: () => mostOpen,
    /** Lets a minute go by as far as the page knows. */
    wait: () => page.clock.runFor(60_000),
  };
}

const rows = (page: Page) => page.locator('[data-job]');
const pager = (page: Page) => page.getByRole('navigation', { name: 'Pages of the list' });
const button = (page: Page, name: string) => pager(page).getByRole('button', { name });
const news = (page: Page, words: string) => page.getByRole('status').getByText(words).waitFor();

test('a search goes on by itself until the end, one request at a time', async () => {
  const { page, cursors, mostOpen, wait } = await search((at) => ({ found: at < 3 ? 0 : 2, isLast: at === 4 }));
  await news(page, 'The search has ended: 4 jobs found.');
  expect(await rows(page).count()).toBe(4);
  await pager(page).getByText('4 jobs, last failed first, no more').waitFor();
  await wait();
  expect(cursors).toEqual([0, 1, 2, 3, 4]);
  expect(mostOpen()).toBe(1);
});

test('a search goes on by itself until the page is full, and the next page from there', async () => {
  const { page, cursors, wait } = await search(() => ({ found: 20 }));
  await pager(page).getByRole('link', { name: 'Next page' }).waitFor();
  expect(await rows(page).count()).toBe(60);
  await wait();
  expect(cursors).toEqual([0, 1, 2]);
  await pager(page).getByRole('link', { name: 'Next page' }).click();
  await page.waitForURL(/cursor=3/);
  await waitFor('the search goes on from there', () => cursors.includes(5));
  expect(cursors).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a search says how far it is, is stopped, and goes on where it was', async () => {
  const { page, cursors, wait } = await search((at) => ({ found: at === 1 ? 1 : 0 }));
  await news(page, 'The search goes on.');
  await pager(page)
    .getByText(/^1 job found so far, of at least \d+,000 looked at, last failed first$/)
    .waitFor();
  await button(page, 'Stop searching').click();
  await news(page, 'The search was stopped: 1 job found so far.');
  expect(await violationsOf(page)).toEqual([]);
  // One may have been under way.
  await page.clock.runFor(1000);
  const stoppedAt = cursors.length;
  await wait();
  expect(cursors).toHaveLength(stoppedAt);
  await button(page, 'Search on').click();
  await waitFor('it goes on', () => cursors.length > stoppedAt + 1);
  expect(cursors).toEqual(cursors.map((_cursor, at) => at));
});

test('whoever listens to the page is told of a long search now and then', async () => {
  const { page, cursors } = await search(() => ({ found: 0 }));
  await page.getByRole('heading', { name: 'Nothing found so far' }).waitFor();
  await waitFor('much was looked at', async () => {
    await page.clock.runFor(300);
    return cursors.length > 20;
  });
  await news(page, 'The search goes on: 100,000 jobs were looked at.');
});

test('a search rests while nobody looks, and while jobs are selected', async () => {
  const { page, cursors, wait } = await search((at) => ({ found: at === 0 ? 3 : 0 }));
  await waitFor('it goes on', () => cursors.length > 2);
  await hide(page);
  await page.clock.runFor(1000);
  const hiddenAt = cursors.length;
  await wait();
  expect(cursors).toHaveLength(hiddenAt);
  await show(page);
  await waitFor('it goes on where it was', () => cursors.length > hiddenAt + 1);
  expect(cursors).toEqual(cursors.map((_cursor, at) => at));

  await rows(page).first().getByRole('checkbox').check();
  await page.getByText('1 job selected').waitFor();
  await page.clock.runFor(1000);
  const selectedAt = cursors.length;
  await wait();
  expect(cursors).toHaveLength(selectedAt);
});

test('behind a change the search begins anew, as slowly as before', async () => {
  const { page, cursors, mostOpen } = await search((at) => ({ found: at === 0 ? 3 : 0 }));
  await page.route('**/api/jobs/bulk', (route) => route.fulfill({ json: { changed: 1, skipped: 0 } }));
  await waitFor('it goes on', () => cursors.length > 3);
  await button(page, 'Stop searching').click();
  await rows(page).first().getByRole('checkbox').check();
  await page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: 'Retry' }).click();
  await page.clock.runFor(1000);
  cursors.length = 0;
  await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
  await page.locator('.notices').getByText('Retried 1 job.').waitFor();
  await waitFor('the list is read again', () => cursors.length > 0);
  await pager(page).getByText('of at least 5,000 looked at').waitFor();
  expect(new Set(cursors)).toEqual(new Set([0]));
  expect(mostOpen()).toBe(1);
});

test('a search that fails says so, and is tried again where it was', async () => {
  const { page, cursors } = await search((at) => ({ found: at === 0 ? 3 : 0, isLast: at === 2 }));
  await page.route(/\/api\/jobs\?.*cursor=1/, (route) => route.fulfill({ status: 500, json: { title: 'It broke' } }));
  await page.getByRole('alert').getByRole('heading', { name: 'It broke' }).waitFor();
  expect(await rows(page).count()).toBe(3);
  await page.unroute(/\/api\/jobs\?.*cursor=1/);
  cursors.length = 0;
  await page.getByRole('button', { name: 'Try again' }).click();
  await news(page, 'The search has ended: 3 jobs found.');
  expect(cursors).toEqual([1, 2]);
});

test('jobs that wait for their retry are searched by their error too', async () => {
  const { page } = await pages.visit('jobs?state=scheduled');
  await settled(page);
  await page.getByRole('searchbox', { name: 'Error contains' }).fill('Smtp');
  await page.waitForURL(/error=Smtp/);
  await page.locator('.is-old').waitFor({ state: 'detached' });
  const errors = await rows(page).locator('.job-error').allTextContents();
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.filter((error) => !error.includes('Smtp'))).toEqual([]);
  expect(errors).toHaveLength(await rows(page).count());
});
