import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';
import { waitFor } from '../support/wait-for.js';

const pages = mockedBrowser();

async function open(path: string): Promise<Page> {
  const { page } = await pages.visit(path);
  await settled(page);
  return page;
}

const focused = (page: Page) => page.evaluate(`document.activeElement.closest('[data-job]')?.dataset.job`);
const help = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });

test('shortcuts of a single character can be switched off permanently, and on again', async () => {
  const page = await open('jobs?state=failed');
  await page.keyboard.press('?');
  const box = help(page).getByRole('checkbox', { name: 'Turn on shortcuts of a single character' });
  await box.uncheck();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await help(page).waitFor({ state: 'detached' });

  for (const path of [undefined, 'jobs?state=failed']) {
    if (path !== undefined) {
      await page.goto(`${pages.url}${path}`);
      await settled(page);
    }
    for (const key of ['j', 'k', 'x', '/', '?', '2', '1']) {
      await page.keyboard.press(key);
    }
    expect(await focused(page)).toBeUndefined();
    expect(await page.getByRole('searchbox', { name: 'Name or id' }).and(page.locator(':focus')).count()).toBe(0);
    expect(await help(page).count()).toBe(0);
    expect(new URL(page.url()).pathname).toMatch(/\/jobs$/);
  }

  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await box.check();
  await page.keyboard.press('Escape');
  await help(page).waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  expect(await focused(page)).toBeDefined();
});

test('arrow keys scroll the page until the focus is in a row, and then move between rows', async () => {
  const page = await open('jobs?state=failed');
  const scrolled = () => page.evaluate<number>('scrollY');
  await page.keyboard.press('ArrowDown');
  await waitFor('the page is scrolled', async () => (await scrolled()) > 0);
  expect(await focused(page)).toBeUndefined();
  await page.getByRole('link', { name: 'Next page' }).focus();
  await page.keyboard.press('ArrowUp');
  expect(await focused(page)).toBeUndefined();
  const rows = await page.locator('[data-job]').evaluateAll((all) => all.map((row) => row.getAttribute('data-job')));
  await page.locator('[data-job] th a').first().focus();
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toBe(rows[1]);
  await page.keyboard.press('ArrowUp');
  expect(await focused(page)).toBe(rows[0]);
});
