import { describe, expect, test } from '@jest/globals';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { changingPages } from '../support/changing-pages.js';
import { notified, parameter, rowsOf } from '../support/page-parts.js';

const changing = changingPages();
const { open } = changing;

describe('jobs', () => {
  test('filters are kept in the URL', async () => {
    const page = await open('jobs?state=failed');
    await page.getByLabel('Queue').selectOption('payments');
    await page.getByRole('searchbox', { name: 'Name or id' }).fill('payment.notify');
    await page.waitForURL(/name=payment\.notify/);
    expect(parameter(page, 'queue')).toBe('payments');
    await page.locator('.is-old').waitFor({ state: 'detached' });
    const names = await rowsOf(page).getByRole('rowheader').getByRole('link').allTextContents();
    expect(new Set(names)).toEqual(new Set(['payment.notify']));

    await page.reload();
    await settled(page);
    expect(await page.getByRole('searchbox', { name: 'Name or id' }).inputValue()).toBe('payment.notify');
    expect(await rowsOf(page).count()).toBe(names.length);

    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'detached' });
    expect(parameter(page, 'queue')).toBeNull();
  });

  test('a time range in the URL does not depend on the time zone', async () => {
    const page = await open('jobs?state=failed');
    const shown = await rowsOf(page).count();
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
    await rowsOf(other).first().waitFor();
    expect(await rowsOf(other).count()).toBe(shown);
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
    const [first, second] = await rowsOf(page).evaluateAll((all) =>
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
    await page.goto(`${changing.pages.url}jobs?state=failed`);
    await settled(page);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/jobs\/0193/);
  });

  test('a retry of all jobs of a page asks with their number', async () => {
    const page = await open('jobs?state=failed&queue=reports');
    const shown = await rowsOf(page).count();
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
    expect(await rowsOf(page).count()).toBe(50);
  });

  test('the priority of selected jobs is changed', async () => {
    const page = await open('jobs?state=ready');
    const box = rowsOf(page).first().getByRole('checkbox');
    await box.check();
    await page.getByRole('button', { name: 'Change priority' }).click();
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('-77');
    await page.getByRole('dialog').getByRole('button', { name: 'Change priority' }).click();
    await notified(page, 'Changed the priority of 1 job.');
    await rowsOf(page).getByRole('cell', { name: '-77' }).waitFor();
  });

  test('the list is not refreshed while jobs are selected', async () => {
    const { page } = await changing.visit('favicon.svg');
    await page.clock.install();
    await page.goto(`${changing.pages.url}jobs?state=ready`);
    await settled(page);
    let requests = 0;
    page.on('request', (request) => (requests += request.url().includes('/api/jobs?') ? 1 : 0));
    await page.clock.runFor(11_000);
    expect(requests).toBeGreaterThan(0);
    await rowsOf(page).first().getByRole('checkbox').check();
    await page.getByText('1 job selected').waitFor();
    requests = 0;
    await page.clock.runFor(60_000);
    expect(requests).toBe(0);
  });
});
