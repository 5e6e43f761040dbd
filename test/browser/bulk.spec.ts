import { expect, test } from '@jest/globals';
import type { Locator, Page, Route } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

const PARTLY_DONE = 'Some jobs may have been changed';

/** Selects all failed jobs and opens the dialog to retry them, with mocked responses. */
async function openRetryDialog(matching: object, bulk: (route: Route) => unknown = () => undefined): Promise<Page> {
  const { page } = await pages.visit('jobs?state=failed');
  await settled(page);
  await page.route('**/api/jobs/preview', (route) => route.fulfill({ json: { matching } }));
  await page.route('**/api/jobs/bulk', (route) => void bulk(route));
  await page.getByRole('checkbox', { name: 'Select all jobs of this page' }).check();
  await page.getByRole('button', { name: 'Select all that match' }).click();
  await page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: 'Retry' }).click();
  return page;
}

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const retry = (within: Locator) => within.getByRole('button', { name: 'Retry', exact: true });

test('a capped count of zero is explained, and the action is possible', async () => {
  const sent: unknown[] = [];
  const page = await openRetryDialog({ count: 0, isCapped: true }, (route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill({ json: { changed: 3, skipped: 0 } });
  });
  const question = dialog(page, 'Retry all failed jobs that match?');
  await question.getByText('Counting stopped before a match was found.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await retry(question).click();
  await page.locator('.notices').getByText('Retried 3 jobs.').waitFor();
  expect(sent).toEqual([{ action: 'retry', filter: { state: 'failed' } }]);
});

test('a capped count is shown as a minimum, and an exact count of zero disables the action', async () => {
  const page = await openRetryDialog({ count: 10_000, isCapped: true });
  await dialog(page, 'Retry at least 10,000 failed jobs?').getByText('applies to all jobs that match').waitFor();
  const other = await openRetryDialog({ count: 0, isCapped: false });
  expect(await retry(dialog(other, 'No job matches any more')).isDisabled()).toBe(true);
});

test('a long action shows that it runs, and can be stopped', async () => {
  const page = await openRetryDialog({ count: 137, isCapped: false });
  const question = dialog(page, 'Retry 137 failed jobs?');
  await retry(question).click();
  await question.getByText('The server has been working for').waitFor();
  expect(await question.getByRole('button', { name: 'Working …' }).isDisabled()).toBe(true);
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/jobs/bulk'));
  const readAgain = page.waitForRequest((request) => request.url().includes('/api/jobs?'));
  await question.getByRole('button', { name: 'Stop', exact: true }).click();
  expect((await ended).failure()?.errorText).toContain('ERR_ABORTED');
  await readAgain;
  await question.waitFor({ state: 'detached' });
  await page.locator('.notices').getByText(PARTLY_DONE).waitFor();
  expect(await page.locator('.notice-problem').count()).toBe(0);
});

test('an action on many jobs runs in several requests, and shows its progress', async () => {
  const sent: unknown[] = [];
  const held: Route[] = [];
  const page = await openRetryDialog({ count: 2_500, isCapped: false }, (route) => {
    sent.push((route.request().postDataJSON() as { cursor?: string }).cursor);
    if (sent.length === 1) {
      return route.fulfill({ json: { changed: 2_000, skipped: 1, next: 'there' } });
    }
    return held.push(route);
  });
  const question = dialog(page, 'Retry 2,500 failed jobs?');
  await retry(question).click();
  await question.getByText(': 2,000 jobs so far.').waitFor();
  await held[0]!.fulfill({ json: { changed: 499, skipped: 0, next: null } });
  await page.locator('.notices').getByText('Retried 2,499 jobs. 1 job had changed in the meantime').waitFor();
  expect(sent).toEqual([undefined, 'there']);
});

test('an action that is refused midway warns of a partial change, and a click outside does not stop it', async () => {
  const held: Route[] = [];
  const page = await openRetryDialog({ count: 2_500, isCapped: false }, (route) =>
    (route.request().postDataJSON() as { cursor?: string }).cursor === undefined
      ? route.fulfill({ json: { changed: 0, skipped: 2_000, next: 'there' } })
      : held.push(route),
  );
  const question = dialog(page, 'Retry 2,500 failed jobs?');
  await retry(question).click();
  await question.getByText(': 0 jobs so far.').waitFor();
  await page.mouse.click(2, 2);
  await held[0]!.fulfill({ status: 403, json: { title: 'Not you' } });
  await question.getByRole('heading', { name: 'Not you' }).waitFor();
  expect(await question.getByText(PARTLY_DONE).count()).toBe(1);
});

test.each([
  ['is aborted', (route: Route) => route.abort(), 'The server does not answer', 1],
  [
    'fails',
    (route: Route) => route.fulfill({ status: 503, json: { title: 'The database is down' } }),
    'The database is down',
    1,
  ],
  ['is refused', (route: Route) => route.fulfill({ status: 403, json: { title: 'Not you' } }), 'Not you', 0],
] as const)('an action that %s shows whether jobs may have been changed', async (_name, respond, title, warnings) => {
  const page = await openRetryDialog({ count: 137, isCapped: false }, respond);
  const question = dialog(page, 'Retry 137 failed jobs?');
  await retry(question).click();
  await question.getByRole('heading', { name: title }).waitFor();
  expect(await question.getByText(PARTLY_DONE).count()).toBe(warnings);
  expect(await retry(question).isEnabled()).toBe(true);
});
