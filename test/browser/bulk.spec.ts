import { expect, test } from '@jest/globals';
import type { Locator, Page, Route } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

const MAY_HAVE_STARTED = 'It may have started all the same';

/** A bulk operation, as the server describes it. */
const operation = (own: object) => ({
  id: '0193f5a1-7c06-7b31-9d42-0000000000b1',
  action: 'retry',
  jobs: 'all failed jobs, queue mail',
  priority: null,
  to: null,
  who: 'mary',
  state: 'running',
  total: null,
  changed: 0,
  skipped: 0,
  startedAt: Date.now() - 5_000,
  finishedAt: null,
  ...own,
});

/** Selects all failed jobs and opens the dialog to retry them, with mocked responses. */
const openRetryDialog = (matching: object, bulk?: (route: Route) => unknown): Promise<Page> =>
  openDialog('Retry', 'failed', matching, bulk);

async function openDialog(
  action: string,
  state: string,
  matching: object,
  bulk: (route: Route) => unknown = () => undefined,
): Promise<Page> {
  const { page } = await pages.visit(`jobs?state=${state}`);
  await settled(page);
  await page.route('**/api/jobs/preview', (route) => route.fulfill({ json: { matching } }));
  await page.route('**/api/jobs/bulk', (route) => void bulk(route));
  await page.getByRole('checkbox', { name: 'Select all jobs of this page' }).check();
  await page.getByRole('button', { name: 'Select all that match' }).click();
  await page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: action }).click();
  return page;
}

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const retry = (within: Locator) => within.getByRole('button', { name: 'Retry', exact: true });

test('a capped count of zero is explained, and the action is possible', async () => {
  const sent: unknown[] = [];
  const page = await openRetryDialog({ count: 0, isCapped: true }, (route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill({ json: operation({ state: 'done', changed: 3 }) });
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

test('an operation shows its progress after a reload too, and can be stopped', async () => {
  const { page } = await pages.visit('jobs?state=failed');
  const stops: string[] = [];
  let shown = operation({ changed: 1_200, skipped: 3, total: { count: 53_000, isCapped: false } });
  await page.route('**/api/jobs/bulk?*', (route) =>
    route.fulfill({ json: { operations: [shown], next: null, takenAt: Date.now() } }),
  );
  await page.route('**/api/jobs/bulk/*/stop', (route) => {
    stops.push(route.request().url().split('/').at(-2)!);
    shown = operation({ state: 'stopped', changed: 1_600, skipped: 3, finishedAt: Date.now() });
    return route.fulfill({ json: shown });
  });
  const region = page.getByRole('region', { name: 'Bulk operations' });
  const name = 'Retrying all failed jobs, queue mail';
  for (const _visit of ['first', 'reloaded']) {
    await page.reload();
    await region.getByText(name).waitFor();
    await region.getByText('1,203 of 53,000, 3 skipped').waitFor();
  }
  expect(await region.getByRole('progressbar', { name }).getAttribute('max')).toBe('53000');
  expect(await violationsOf(page)).toEqual([]);
  await region.getByRole('button', { name: 'Stop' }).click();
  await page.locator('.notices').getByText('Retried 1,600 jobs, and was stopped.').waitFor();
  await region.getByText('Retried 1,600 jobs, and was stopped.').waitFor();
  expect(await region.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  expect(stops).toEqual([shown.id]);
});

test('a long operation closes the dialog, and goes on at the server', async () => {
  const page = await openRetryDialog({ count: 2_500, isCapped: false }, (route) =>
    route.fulfill({ json: operation({}) }),
  );
  const question = dialog(page, 'Retry 2,500 failed jobs?');
  await retry(question).click();
  await question.waitFor({ state: 'detached' });
  await page.locator('.notices').getByText('The server is working on it.').waitFor();
});

test('jobs are moved to a queue that must be given, and deleted', async () => {
  const sent: unknown[] = [];
  const respond = (route: Route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill({ json: operation({ state: 'done', action: 'delete', changed: 2 }) });
  };
  const page = await openDialog('Delete', 'failed', { count: 2, isCapped: false }, respond);
  await dialog(page, 'Delete 2 failed jobs?').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.locator('.notices').getByText('Deleted 2 jobs.').waitFor();
  const other = await openDialog('Move', 'ready', { count: 2, isCapped: false }, respond);
  const question = dialog(other, 'Move 2 ready jobs?');
  const move = question.getByRole('button', { name: 'Move', exact: true });
  expect(await move.isDisabled()).toBe(true);
  await question.getByRole('textbox', { name: 'New queue' }).fill('slow');
  await move.click();
  await question.waitFor({ state: 'detached' });
  expect(sent).toEqual([
    { action: 'delete', filter: { state: 'failed' } },
    { action: 'move', filter: { state: 'ready' }, to: 'slow' },
  ]);
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
] as const)('an action that %s shows whether it may have started', async (_name, respond, title, warnings) => {
  const page = await openRetryDialog({ count: 137, isCapped: false }, respond);
  const question = dialog(page, 'Retry 137 failed jobs?');
  await retry(question).click();
  await question.getByRole('heading', { name: title }).waitFor();
  expect(await question.getByText(MAY_HAVE_STARTED).count()).toBe(warnings);
  expect(await retry(question).isEnabled()).toBe(true);
});
