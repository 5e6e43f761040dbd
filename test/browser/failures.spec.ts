import { expect, test } from '@jest/globals';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

test('the jobs of an error can be opened, and retried', async () => {
  const { page } = await pages.visit('failures');
  await settled(page);
  await page.getByText(/^All 137 failed jobs\./).waitFor();
  const sent: { filter: { state: string; fingerprint: string } }[] = [];
  await page.route('**/api/jobs/bulk', (route) => {
    if (route.request().method() === 'GET') {
      return route.fallback();
    }
    sent.push(route.request().postDataJSON());
    return route.fulfill({ status: 409, json: { title: 'Not now', status: 409 } });
  });
  const row = page.getByRole('row').filter({ hasText: 'SmtpError: <number> <number> Greylisting' });
  await row.getByRole('button', { name: /^Retry the jobs/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry the jobs', exact: true }).click();
  await page.getByText('Not now').waitFor();
  expect(sent).toMatchObject([{ action: 'retry', filter: { state: 'failed' } }]);
  expect(sent[0]?.filter.fingerprint).toMatch(/^[\da-f]{16}$/);
  await row.getByRole('link', { name: /^SmtpError/ }).click();
  await page.waitForURL(`**/jobs?state=failed&fingerprint=${sent[0]?.filter.fingerprint}`);
  await settled(page);
  const rows = await page.getByRole('row').filter({ hasText: 'Error:' }).allTextContents();
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every((text) => text.includes('SmtpError'))).toBe(true);
});

test('an error can be muted and unmuted', async () => {
  const { page } = await pages.visit('failures');
  await settled(page);
  const rowIn = (table: string) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: 'Greylisting' });
  await rowIn('Failed jobs by error')
    .getByRole('button', { name: /^Mute / })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('For').selectOption('8 hours');
  const sent = page.waitForRequest('**/mute*');
  await dialog.getByRole('button', { name: 'Mute', exact: true }).click();
  expect((await sent).postDataJSON()).toEqual({ duration: '8h' });
  await rowIn('Muted errors').waitFor();
  expect(await rowIn('Failed jobs by error').count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await rowIn('Muted errors')
    .getByRole('button', { name: /^Unmute / })
    .click();
  await rowIn('Failed jobs by error').waitFor();
  expect(await page.getByRole('heading', { name: 'Muted' }).count()).toBe(0);
});
