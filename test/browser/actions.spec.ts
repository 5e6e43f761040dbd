import { describe, expect, test } from '@jest/globals';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { changingPages } from '../support/changing-pages.js';
import { notified, rowsOf } from '../support/page-parts.js';
import { waitFor } from '../support/wait-for.js';

const { open } = changingPages();

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

describe('a queue', () => {
  test('shows how many of its jobs have ended, and so do the tabs of its jobs', async () => {
    const page = await open('queues/mail');
    const link = page.getByRole('definition').getByRole('link', { name: /^\d+ failed$/ });
    await link.waitFor();
    const failed = Number.parseInt((await link.textContent()) ?? '', 10);
    expect(failed).toBeGreaterThan(0);
    await link.click();
    await page.getByRole('link', { name: `Failed ${failed}` }).waitFor();
    await rowsOf(page).first().waitFor();
    expect(await rowsOf(page).count()).toBe(Math.min(failed, 50));
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
