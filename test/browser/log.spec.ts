import { expect, test } from '@jest/globals';

import { violationsOf } from '../support/axe.js';
import { JOB_PATH, mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

test('the log of a running job grows on its page, with the number of dropped lines', async () => {
  const { page, errors } = await pages.visit('');
  const line = { attempt: 1, loggedAt: Date.now(), level: 'info', fields: null, dropped: 0 };
  const lines: object[] = [{ ...line, seq: 1, message: 'first\u202e\u0007', fields: { to: 'ada' } }];
  const after: (string | null)[] = [];
  await page.route(/\/api\/jobs\/[^/]+\/log/, async (route) => {
    const seq = Number(new URL(route.request().url()).searchParams.get('seq') ?? 0);
    after.push(String(seq));
    await route.fulfill({ json: { lines: lines.slice(seq), isHidden: false } });
  });
  await page.route(/\/api\/jobs\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), state: 'running' } });
  });
  await page.goto(`${pages.url}${JOB_PATH}`);
  const log = page.getByRole('log');
  await log.getByText('first\\u202e\\u0007').waitFor();
  await log.getByText('{"to":"ada"}').waitFor();
  lines.push({ ...line, seq: 2, level: 'error', message: '<b>second</b>' });
  lines.push({ ...line, attempt: 1, seq: 3, level: 'warn', message: '5 more lines were dropped', dropped: 5 });
  await log.getByText('<b>second</b>').waitFor();
  await log.getByText('5 more lines were dropped').waitFor();
  lines[2] = { ...line, seq: 3, level: 'warn', message: '9 more lines were dropped', dropped: 9 };
  await log.getByText('9 more lines were dropped').waitFor();
  expect(await log.getByText('5 more lines').count()).toBe(0);
  expect(await log.locator('.log-line').count()).toBe(3);
  expect(after).toContain('2');
  expect(after).not.toContain('3');
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  expect(await violationsOf(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.unrouteAll({ behavior: 'wait' });
});

test('a log of many attempts shows the latest first, and the earlier ones if asked', async () => {
  const { page, errors } = await pages.visit('');
  const lineOf = (attempt: number) => ({
    attempt,
    seq: 1,
    loggedAt: Date.now(),
    level: 'info',
    message: `try ${attempt}`,
    fields: null,
    dropped: 0,
  });
  let logged = Array.from({ length: 12 }, (_, index) => lineOf(index + 1));
  const read: string[] = [];
  await page.route(/\/api\/jobs\/[^/]+\/log/, async (route) => {
    const { searchParams } = new URL(route.request().url());
    const [attempt, seq] = ['attempt', 'seq'].map((name) => Number(searchParams.get(name) ?? 0)) as [number, number];
    read.push(`${attempt} ${seq}`);
    const lines = logged.filter((each) => each.attempt > attempt || (each.attempt === attempt && each.seq > seq));
    await route.fulfill({ json: { lines, isHidden: false } });
  });
  await page.route(/\/api\/jobs\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), attempt: 12, state: 'failed' } });
  });
  await page.goto(`${pages.url}${JOB_PATH}`);
  const log = page.getByRole('log');
  await log.getByText('try 12').waitFor();
  expect(await log.locator('.log-line').count()).toBe(5);
  expect(read[0]).toBe('8 0');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Earlier attempts' }).click();
  await log.getByText('try 1', { exact: true }).waitFor();
  expect(await log.locator('.log-line').count()).toBe(12);
  expect(await page.getByRole('button', { name: 'Earlier attempts' }).count()).toBe(0);
  // Only the first attempts have logged.
  logged = logged.slice(0, 2);
  await page.reload();
  await log.getByText('try 2').waitFor();
  expect(await log.locator('.log-line').count()).toBe(2);
  expect(await page.getByRole('button', { name: 'Earlier attempts' }).count()).toBe(0);
  expect(errors).toEqual([]);
  await page.unrouteAll({ behavior: 'wait' });
});
