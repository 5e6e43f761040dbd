import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

async function open(path: string): Promise<Page> {
  const { page } = await pages.visit(path);
  await settled(page);
  return page;
}

const firstOf = (page: Page) => page.locator('[data-job]').first().getAttribute('data-job');
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

/** Follows a link of the pager and waits for the page. */
async function follow(page: Page, name: string): Promise<void> {
  const { search } = new URL(page.url());
  await link(page, name).click();
  await page.waitForURL((url) => url.search !== search);
  await page.locator('.is-old').waitFor({ state: 'detached' });
}

test('a list has next pages, and previous pages in the order of the visit', async () => {
  const page = await open('jobs?state=succeeded');
  const firsts = [await firstOf(page)];
  expect(await link(page, 'Previous page').count()).toBe(0);
  for (let behind = 1; behind < 4; behind++) {
    await follow(page, 'Next page');
    firsts.push(await firstOf(page));
  }
  expect(new Set(firsts).size).toBe(4);
  await page.reload();
  await settled(page);
  for (const first of [firsts[2], firsts[1]]) {
    await follow(page, 'Previous page');
    expect(await firstOf(page)).toBe(first);
  }
  expect(await violationsOf(page)).toEqual([]);
  await page.goBack();
  await page.locator(`[data-job="${firsts[2]}"]`).waitFor();
  await follow(page, 'First page');
  expect(await firstOf(page)).toBe(firsts[0]);
  expect(await link(page, 'First page').count()).toBe(0);
});

test('a page that was opened by a link leads to the first page of the list', async () => {
  const first = await firstOf(await open('jobs?state=succeeded'));
  const page = await open('jobs?state=succeeded&cursor=100');
  expect(await link(page, 'Previous page').count()).toBe(0);
  await follow(page, 'Next page');
  await follow(page, 'Previous page');
  expect(new URL(page.url()).searchParams.get('cursor')).toBe('100');
  expect(await link(page, 'Previous page').count()).toBe(0);
  await follow(page, 'First page');
  expect(await firstOf(page)).toBe(first);
});

test.each([
  ['running', 'last started first'],
  ['ready', 'last in line first'],
  ['scheduled', 'latest due first'],
  ['waiting', 'last in line first'],
  ['failed', 'last failed first'],
  ['succeeded', 'last finished first'],
  ['cancelled', 'last finished first'],
])('%s jobs are listed %s, and with a key last created first', async (state, order) => {
  const page = await open(`jobs?state=${state}`);
  const label = (text: string) => page.getByRole('navigation', { name: 'Pages of the list' }).getByText(text);
  await label(order).waitFor();
  await page.getByRole('table', { name: `Jobs, ${state}, ${order}` }).waitFor();
  const key = await page.locator('[data-job] code').first().textContent();
  await page.goto(`${pages.url}jobs?state=${state}&key=${key}`);
  await label('last created first').waitFor();
  await page.getByRole('table', { name: `Jobs, ${state}, last created first` }).waitFor();
});
