import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { JOB_PATH, mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

interface Told {
  readonly progress: unknown;
}

/** Sets the progress of the first running job, and of the job on its own page. */
async function setProgress(page: Page, progress: unknown): Promise<void> {
  await page.route(/\/api\/jobs(\/|\?)/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as Told & { jobs?: Told[] };
    const json = body.jobs
      ? { ...body, jobs: body.jobs.map((job, index) => ({ ...job, progress: index === 0 ? progress : null })) }
      : { ...body, progress };
    await route.fulfill({ response, json });
  });
}

test.each([
  [{ page: 3, pages: 12 }, 'page 3, pages 12', '"page": 3'],
  ['half of the mails', 'half of the mails', '"half of the mails"'],
  [['a', 2], '["a",2]', '"a"'],
  [{ done: { mails: 7 }, of: 'many' }, 'done {"mails":7}, of many', '"mails": 7'],
  [{ text: 'x'.repeat(500) }, `text ${'x'.repeat(55)} …`, 'x'.repeat(500)],
])('progress %j is one line, and complete on the page of its job', async (progress, line, json) => {
  const { page, errors } = await pages.visit('');
  await setProgress(page, progress);
  await page.goto(`${pages.url}jobs`);
  await settled(page);
  const row = page.locator('[data-job]').first();
  await row.getByText(line, { exact: true }).waitFor();
  expect(await page.locator('progress').count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await page.goto(`${pages.url}${JOB_PATH}`);
  await page.getByRole('complementary').getByText(line, { exact: true }).waitFor();
  await page
    .getByRole('region', { name: 'Progress' })
    .getByLabel('progress', { exact: true })
    .getByText(json)
    .waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.unrouteAll({ behavior: 'wait' });
});

test('a value that could not be decoded is shown as a sentence', async () => {
  const { page, errors } = await pages.visit('');
  await page.route(/\/api\/jobs\//, async (route) => {
    const response = await route.fetch();
    const undecoded = { payload: 'cannot be decoded: codec aes-2025 is not known here', undecoded: ['payload'] };
    await route.fulfill({ response, json: { ...((await response.json()) as object), ...undecoded } });
  });
  await page.goto(`${pages.url}${JOB_PATH}`);
  const payload = page.getByRole('region', { name: 'Payload' });
  await payload.getByText('Cannot be decoded: codec aes-2025 is not known here.', { exact: true }).waitFor();
  expect(await payload.getByLabel('payload', { exact: true }).count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.unrouteAll({ behavior: 'wait' });
});

test('on a phone progress is one line too', async () => {
  const { page } = await pages.visit('', { width: 375 });
  await setProgress(page, { page: 3, pages: 12 });
  await page.goto(`${pages.url}jobs`);
  await settled(page);
  const line = page.locator('[data-job]').first().getByText('page 3, pages 12');
  const { width = 0, height = 0 } = (await line.boundingBox()) ?? {};
  expect(width).toBeGreaterThan(3 * height);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await page.unrouteAll({ behavior: 'wait' });
});

test.each([
  [0.4, '40%', 1],
  [45, '45', 0],
])('progress %d is a number, with a bar up to 1', async (progress, words, bars) => {
  const { page } = await pages.visit('');
  await setProgress(page, progress);
  await page.goto(`${pages.url}jobs`);
  await settled(page);
  await page.locator('[data-job]').first().getByText(words, { exact: true }).waitFor();
  expect(await page.locator('progress').count()).toBe(bars);
  await page.goto(`${pages.url}${JOB_PATH}`);
  await page.getByRole('complementary').getByText(words, { exact: true }).waitFor();
  expect(await page.getByRole('region', { name: 'Progress' }).count()).toBe(0);
  await page.unrouteAll({ behavior: 'wait' });
});
