import { expect, test } from '@jest/globals';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

test('weights other than 1 are shown, for the queues of a worker and for a queue on all workers', async () => {
  const { page } = await pages.visit('workers');
  await settled(page);
  await page.getByText('weight 3', { exact: true }).waitFor();
  expect(await page.getByText(/weight \d/).count()).toBe(1);
  await page.getByText('and 40 more queues').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'payments', exact: true }).click();
  await page.getByText('1 or 3', { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
});
