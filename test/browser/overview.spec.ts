import { expect, test } from '@jest/globals';

import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test('the number of failed jobs links to the failed jobs of the last day', async () => {
  const { page } = await pages.visit('');
  await settled(page);
  const asked = page.waitForRequest((request) => request.url().includes('/api/jobs?'));
  await page.getByRole('link', { name: 'Failed, last day' }).click();
  const { searchParams } = new URL((await asked).url());
  expect(searchParams.get('state')).toBe('failed');
  // The list moves on by the minute.
  const back = Date.now() - Number(searchParams.get('from'));
  expect(back).toBeGreaterThanOrEqual(DAY);
  expect(back).toBeLessThan(DAY + 2 * MINUTE);
  expect(await page.getByLabel('Time').locator('option:checked').textContent()).toBe('Last day');
});
