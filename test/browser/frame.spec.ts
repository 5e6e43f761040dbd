import { describe, expect, test } from '@jest/globals';

import { changingPages } from '../support/changing-pages.js';

const changing = changingPages();
const { open } = changing;

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
    await changing.pages.stop();
    await page.getByText('Disconnected since').waitFor();
    expect(await page.getByRole('heading', { name: 'Queues' }).count()).toBe(1);
  });

  test('polls if no events arrive', async () => {
    const page = await open('', { mode: 'silent' });
    await page.getByText('Polling', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
  });
});
