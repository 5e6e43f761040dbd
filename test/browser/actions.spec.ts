import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { type Look, TestBrowser, settled } from '../support/browser.js';
import { MockPages } from '../support/mock-pages.js';
import { waitFor } from '../support/wait-for.js';

let browser: TestBrowser;
let pages: MockPages;
beforeAll(async () => {
  browser = await TestBrowser.start();
});
beforeEach(async () => {
  // Each test starts with new mock data.
  pages = await MockPages.start();
});
afterEach(async () => {
  await browser.closeVisits();
  await pages.stop();
});
afterAll(() => browser.close());

async function open(path: string, look?: Look): Promise<Page> {
  const { page } = await browser.visit(`${pages.url}${path}`, look);
  await settled(page);
  return page;
}

const rows = (page: Page) => page.locator('[data-job]');
const notified = (page: Page, text: string) => page.locator('.notices').getByText(text).waitFor();
const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

describe('jobs', () => {
  test('filters are kept in the URL', async () => {
    const page = await open('jobs?state=failed');
    await page.getByLabel('Queue').selectOption('payments');
    await page.getByRole('searchbox', { name: 'Name or id' }).fill('payment.notify');
    await page.waitForURL(/name=payment\.notify/);
    expect(parameter(page, 'queue')).toBe('payments');
    await page.locator('.is-old').waitFor({ state: 'detached' });
    const names = await rows(page).getByRole('rowheader').getByRole('link').allTextContents();
    expect(new Set(names)).toEqual(new Set(['payment.notify']));

    await page.reload();
    await settled(page);
    expect(await page.getByRole('searchbox', { name: 'Name or id' }).inputValue()).toBe('payment.notify');
    expect(await rows(page).count()).toBe(names.length);

    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'detached' });
    expect(parameter(page, 'queue')).toBeNull();
  });

  test('a time range in the URL does not depend on the time zone', async () => {
    const page = await open('jobs?state=failed');
    const shown = await rows(page).count();
    await page.getByLabel('Time').selectOption('Between …');
    await page.waitForURL(/from=\d+/);
    await page.getByLabel('Ended before').fill('2020-02-29T12:30');
    await page.waitForURL(/to=\d+/);
    expect(parameter(page, 'to')).toBe(String(Date.UTC(2020, 1, 29, 11, 30)));
    await page.getByRole('heading', { name: 'No failed job matches' }).waitFor();
    const other = await open(`jobs${new URL(page.url()).search}`, { timezoneId: 'America/New_York' });
    await other.getByRole('heading', { name: 'No failed job matches' }).waitFor();
    expect(await other.getByLabel('Ended before').inputValue()).toBe('2020-02-29T06:30');
    expect(await violationsOf(other)).toEqual([]);
    await other.getByLabel('Time').selectOption('Any time');
    await rows(other).first().waitFor();
    expect(await rows(other).count()).toBe(shown);
    expect([parameter(other, 'from'), parameter(other, 'to')]).toEqual([null, null]);
  });

  test('typing an id opens its job', async () => {
    const page = await open('jobs');
    await page.getByRole('searchbox', { name: 'Name or id' }).fill('0193f5a1-7c06-7b31-9d42-0000000000a6');
    await page.waitForURL(/\/jobs\/0193f5a1-7c06-7b31-9d42-0000000000a6/);
  });

  test('keyboard shortcuts move, select, open, search and show the help', async () => {
    const page = await open('jobs?state=failed');
    const focused = () => page.evaluate(`document.activeElement.closest('[data-job]')?.dataset.job`);
    const [first, second] = await rows(page).evaluateAll((all) =>
      all.slice(0, 2).map((row) => row.getAttribute('data-job')),
    );
    await page.keyboard.press('j');
    expect(await focused()).toBe(first);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(second);
    await page.keyboard.press('x');
    await page.getByText('1 job selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('1 job selected').waitFor({ state: 'detached' });
    await page.keyboard.press('k');
    expect(await focused()).toBe(first);

    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe(first);

    await page.keyboard.press('/');
    await page.keyboard.type('?jk');
    expect(await page.getByRole('searchbox', { name: 'Name or id' }).inputValue()).toBe('?jk');
    await page.goto(`${pages.url}jobs?state=failed`);
    await settled(page);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/jobs\/0193/);
  });

  test('a retry of all jobs of a page asks with their number', async () => {
    const page = await open('jobs?state=failed&queue=reports');
    const shown = await rows(page).count();
    await page.getByRole('checkbox', { name: 'Select all jobs of this page' }).check();
    await page.getByText(`${shown} jobs selected`).waitFor();
    await page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog', { name: `Retry ${shown} failed jobs of reports?` });
    await dialog.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await notified(page, `Retried ${shown} jobs.`);
    await page.getByRole('heading', { name: 'No failed job matches' }).waitFor();
    await page.getByRole('region', { name: 'Selected jobs' }).waitFor({ state: 'detached' });
  });

  test('jobs on other pages can be selected too', async () => {
    const page = await open('jobs?state=failed');
    await page.getByRole('checkbox', { name: 'Select all jobs of this page' }).check();
    await page.getByText('50 jobs selected').waitFor();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry 137 failed jobs?' });
    await dialog.getByRole('button', { name: 'Keep as it is' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await rows(page).count()).toBe(50);
  });

  test('the priority of selected jobs is changed', async () => {
    const page = await open('jobs?state=ready');
    const box = rows(page).first().getByRole('checkbox');
    await box.check();
    await page.getByRole('button', { name: 'Change priority' }).click();
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('-77');
    await page.getByRole('dialog').getByRole('button', { name: 'Change priority' }).click();
    await notified(page, 'Changed the priority of 1 job.');
    await rows(page).getByRole('cell', { name: '-77' }).waitFor();
  });

  test('the list is not refreshed while jobs are selected', async () => {
    const { page } = await browser.visit(`${pages.url}favicon.svg`);
    await page.clock.install();
    await page.goto(`${pages.url}jobs?state=ready`);
    await settled(page);
    let requests = 0;
    page.on('request', (request) => (requests += request.url().includes('/api/jobs?') ? 1 : 0));
    await page.clock.runFor(11_000);
    expect(requests).toBeGreaterThan(0);
    await rows(page).first().getByRole('checkbox').check();
    await page.getByText('1 job selected').waitFor();
    requests = 0;
    await page.clock.runFor(60_000);
    expect(requests).toBe(0);
  });
});

describe('one job', () => {
  test('is cancelled with a confirmation, and retried without one', async () => {
    const page = await open('jobs?state=scheduled');
    await rows(page).first().getByRole('rowheader').getByRole('link').click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click();
    await notified(page, 'Cancelled');
    await page.getByRole('button', { name: 'Retry' }).click();
    await notified(page, 'Retried');
    await page.locator('.page-heading').getByText('ready').waitFor();
  });

  test('shows its steps, gets a signal, and is retried from a step', async () => {
    const page = await open('jobs?state=scheduled&name=payment.capture');
    await rows(page).first().getByRole('rowheader').getByRole('link').click();
    const steps = page.getByRole('region', { name: 'Steps' });
    await steps.getByText('Waits for returned.').waitFor();
    await steps.getByRole('button', { name: 'Send returned' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send returned to this job' });
    await dialog.getByRole('textbox').fill('{"by": ');
    expect(await dialog.getByRole('button', { name: 'Send the signal' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('{"by": "ada"}');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send the signal' }).click();
    await notified(page, 'Sent returned to payment.capture.');

    await page.goto(`${pages.url}jobs?state=failed&name=payment.capture`);
    await settled(page);
    await rows(page).first().getByRole('rowheader').getByRole('link').click();
    await steps.getByText('Failed 3 times. CarrierError').waitFor();
    await steps.getByRole('button', { name: 'Retry from print labels' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Retry from here' }).click();
    await notified(page, 'Retried payment.capture from print labels.');
  });

  test('is retried with another payload, copied, rescheduled and deleted', async () => {
    const page = await open('jobs?state=failed');
    await rows(page).first().getByRole('rowheader').getByRole('link').click();
    const dialog = page.getByRole('dialog');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const sent = (path: string) => page.waitForRequest((request) => request.url().endsWith(path));
    await press('Edit payload');
    await dialog.getByRole('textbox', { name: 'Payload' }).fill('{"to": ');
    const retry = dialog.getByRole('button', { name: 'Retry with this payload' });
    expect(await retry.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Payload' }).fill('{"to": "ada"}');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('wrong address');
    expect(await violationsOf(page)).toEqual([]);
    const edited = sent('/edit');
    await retry.click();
    expect((await edited).postDataJSON()).toEqual({ payload: { to: 'ada' }, reason: 'wrong address' });
    await notified(page, 'with the new payload.');

    const at = Date.UTC(2030, 0, 31, 8);
    await press('Reschedule');
    await dialog.getByLabel('Run at').fill('2030-01-31T09:00');
    expect(await violationsOf(page)).toEqual([]);
    const rescheduled = sent('/reschedule');
    await dialog.getByRole('button', { name: 'Reschedule' }).click();
    expect((await rescheduled).postDataJSON()).toEqual({ runAt: at });
    await notified(page, 'Rescheduled');

    await press('Copy job');
    expect(await violationsOf(page)).toEqual([]);
    const copied = sent('/copy');
    await dialog.getByRole('button', { name: 'Enqueue the copy' }).click();
    expect((await copied).postDataJSON()).toEqual({});
    await notified(page, 'This is a copy of');

    await page.goto(`${pages.url}jobs?state=succeeded`);
    await settled(page);
    await rows(page).first().getByRole('rowheader').getByRole('link').click();
    await press('Delete job');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete the job' }).click();
    await notified(page, 'Deleted');
    await page.waitForURL(/jobs\?state=succeeded/);
  });

  test('is enqueued by hand', async () => {
    const page = await open('queues/mail');
    await page.getByRole('button', { name: 'Enqueue a job' }).click();
    const dialog = page.getByRole('dialog', { name: 'Enqueue a job in mail' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('mail.send');
    await dialog.getByRole('textbox', { name: 'Payload' }).fill('{"to": "ada"}');
    expect(await violationsOf(page)).toEqual([]);
    const sent = page.waitForRequest((request) => request.url().endsWith('/enqueue'));
    await dialog.getByRole('button', { name: 'Enqueue', exact: true }).click();
    const request = { queue: 'mail', name: 'mail.send', payload: { to: 'ada' }, priority: 0 };
    expect((await sent).postDataJSON()).toEqual(request);
    await notified(page, 'Enqueued mail.send.');
    await page.getByRole('heading', { name: 'mail.send' }).waitFor();
  });

  test('is run now', async () => {
    const page = await open('jobs?state=scheduled');
    await rows(page).first().getByRole('rowheader').getByRole('link').click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await notified(page, 'Made ready');
  });
});

test('the queues can be sorted by keyboard, and the URL keeps the order', async () => {
  const page = await open('');
  const table = page.getByRole('table', { name: 'Queues' });
  const names = () => table.getByRole('rowheader').getByRole('link').allTextContents();
  const header = (name: string) => table.getByRole('columnheader', { name });
  const byName = await names();
  expect(byName).toEqual(byName.toSorted());
  expect(await header('Queue').getAttribute('aria-sort')).toBe('ascending');
  await table.getByRole('button', { name: 'Failures' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/sort=-Failures/);
  await waitFor('the most failures are first', async () => (await names())[0] === 'payments');
  expect(await header('Failures').getAttribute('aria-sort')).toBe('descending');
  expect(await header('Queue').getAttribute('aria-sort')).toBe('none');
  await page.keyboard.press('Enter');
  await page.waitForURL(/sort=Failures/);
  await waitFor('the most failures are last', async () => (await names()).at(-1) === 'payments');
  await page.reload();
  await settled(page);
  expect((await names()).at(-1)).toBe('payments');
  expect(await violationsOf(page)).toEqual([]);
});

test('a waiting job links to the jobs it waits for, and those link to it', async () => {
  const page = await open('jobs?state=waiting');
  await rows(page).first().getByRole('rowheader').getByRole('link').click();
  const waitsFor = page.getByRole('region', { name: 'Waits for' });
  await waitsFor.getByText('48 jobs: 43 succeeded, 1 failed, 4 pending').waitFor();
  // It is due when they end.
  expect(await page.getByText('Was due').count()).toBe(0);
  const members = waitsFor.getByRole('listitem');
  await waitsFor.getByRole('button', { name: '43 succeeded' }).click();
  await waitsFor.getByRole('button', { name: 'Show more' }).click();
  await waitsFor.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  expect(await members.filter({ hasText: 'succeeded' }).count()).toBe(43);
  await waitsFor.getByRole('button', { name: '1 failed' }).click();
  await members.filter({ hasText: 'failed' }).waitFor();
  expect(await members.count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
  await waitsFor.getByRole('button', { name: '4 pending' }).click();
  await members.filter({ hasText: 'running' }).first().getByRole('link').click();
  const followedBy = page.getByRole('region', { name: 'Followed by' });
  await followedBy.getByRole('listitem').filter({ hasText: 'waiting' }).first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

describe('a queue', () => {
  test('shows how many of its jobs have ended, and so do the tabs of its jobs', async () => {
    const page = await open('queues/mail');
    const link = page.getByRole('definition').getByRole('link', { name: /^\d+ failed$/ });
    await link.waitFor();
    const failed = Number.parseInt((await link.textContent()) ?? '', 10);
    expect(failed).toBeGreaterThan(0);
    await link.click();
    await page.getByRole('link', { name: `Failed ${failed}` }).waitFor();
    await rows(page).first().waitFor();
    expect(await rows(page).count()).toBe(Math.min(failed, 50));
  });

  test('is paused and resumed', async () => {
    const page = await open('queues/mail');
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause mail on all workers?' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The relay is down.');
    expect(await violationsOf(page)).toEqual([]);
    const asked = page.waitForRequest((request) => request.url().endsWith('/pause'));
    await dialog.getByRole('button', { name: 'Pause' }).click();
    expect((await asked).postDataJSON()).toEqual({ reason: 'The relay is down.' });
    await notified(page, 'Paused mail.');
    await page.getByText(/^paused for (<1|\d+)s$/).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await notified(page, 'Resumed mail.');
    await page.getByText('paused for').waitFor({ state: 'detached' });
  });

  test('gets new limits', async () => {
    const page = await open('queues/mail');
    await page.getByRole('spinbutton', { name: 'Running at a time' }).fill('7');
    await page.getByRole('spinbutton', { name: 'At once of one tenant' }).fill('5');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await notified(page, 'Saved the limits of mail.');
    await page.reload();
    await settled(page);
    expect(await page.getByRole('spinbutton', { name: 'Running at a time' }).inputValue()).toBe('7');
    expect(await page.getByRole('spinbutton', { name: 'At once of one tenant' }).inputValue()).toBe('5');
    expect(await page.getByRole('spinbutton', { name: 'At once', exact: true }).inputValue()).toBe('');
    expect(await page.getByRole('button', { name: 'Save limits' }).isDisabled()).toBe(true);
  });
});

test('a schedule is run, paused and resumed, and the audit log lists it', async () => {
  const page = await open('recurring');
  const schedules = page.getByRole('table', { name: 'Schedules' });
  const names = async () =>
    (await schedules.getByRole('rowheader').allTextContents()).map((text) => text.replace('paused', ''));
  // The next due first, and a paused one last.
  expect(await names()).toEqual(['carts.expire', 'search.rebuild', 'newsletter.send', 'report.monthly']);
  await schedules.getByRole('button', { name: 'Schedule' }).click();
  expect(await names()).toEqual(['carts.expire', 'newsletter.send', 'report.monthly', 'search.rebuild']);
  await page.getByRole('button', { name: 'Run now: carts.expire' }).click();
  await notified(page, 'Enqueued a job of carts.expire.');
  await page.getByRole('button', { name: 'Pause: carts.expire' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume: carts.expire' }).click();
  await notified(page, 'Resumed carts.expire.');
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('row').filter({ hasText: 'carts.expire' }).first().waitFor();
});

test('a worker is quieted, resumed and stopped', async () => {
  const page = await open('workers');
  const name = 'worker-1, pid 2058';
  await page.getByRole('button', { name: `Quiet: ${name}` }).click();
  await notified(page, `Asked ${name} to claim no more jobs.`);
  await page.getByText('quiet', { exact: true }).waitFor();
  await page.getByRole('button', { name: `Resume: ${name}` }).click();
  await page.getByText('quiet', { exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: `Stop: ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: `Stop the worker of ${name}?` });
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('stopping', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: `Stop: ${name}` }).count()).toBe(0);
});

test('navigation moves the focus to the heading, and a link skips to the content', async () => {
  const page = await open('');
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('main');
  await page.getByRole('link', { name: 'Workers' }).click();
  await page.locator('h1:focus', { hasText: 'Workers' }).waitFor();
});

test('a chosen theme is kept, from the first paint on', async () => {
  const page = await open('', { theme: 'light' });
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
  expect(await scheme()).toBe('dark');
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.reload();
  expect(await scheme()).toBe('dark');
});

describe('the connection', () => {
  test('is live, and shows when it is lost', async () => {
    const page = await open('');
    await page.getByText('Live', { exact: true }).waitFor();
    await pages.stop();
    await page.getByText('Disconnected since').waitFor();
    expect(await page.getByRole('heading', { name: 'Queues' }).count()).toBe(1);
  });

  test('polls if no events arrive', async () => {
    const page = await open('', { mode: 'silent' });
    await page.getByText('Polling', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
  });
});
