import { readFile } from 'node:fs/promises';

import { describe, expect, test } from '@jest/globals';

import { violationsOf } from '../support/axe.js';
import { type Look, type Visit, settled } from '../support/browser.js';
import { JOB_PATH, PAGES, mockedBrowser } from '../support/mocked-browser.js';
import { waitFor } from '../support/wait-for.js';

const pages = mockedBrowser();

async function open(path: string, look: Look): Promise<Visit> {
  const visit = await pages.visit(path, look);
  await settled(visit.page);
  return visit;
}

/** Checks that nothing is wider than the window, that axe finds no violation, and that the console is empty. */
async function expectWellMade({ page, errors }: Visit): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  expect(await violationsOf(page)).toEqual([]);
  expect(errors).toEqual([]);
}

/** One width per theme: colors do not depend on the width. */
describe.each([
  ['light', 1280],
  ['dark', 375],
] as const)('in the %s theme, %i pixels wide', (theme, width) => {
  test.each([...PAGES, ['no page', 'there/is/none'] as const])('%s', async (_name, path) => {
    const visit = await open(path, { width, theme });
    await waitFor('its title', async () => (await visit.page.title()).endsWith(' · Tablequeue'));
    await expectWellMade(visit);
  });

  test('pages without data', async () => {
    const visit = await open('', { theme, width, mode: 'empty' });
    for (const [path, title] of [
      ['', 'No jobs yet'],
      ['jobs?state=failed', 'No job has failed'],
      ['workers', 'No worker is running'],
      ['failures', 'No job has failed'],
      ['search', 'Search the jobs of all states'],
      ['search?text=order', 'No job found'],
      ['blocked-keys', 'No order key is blocked'],
      ['recurring', 'No schedules'],
      ['events', 'No subscriptions'],
      ['audit', 'No changes yet'],
    ] as const) {
      await visit.page.goto(`${pages.url}${path}`);
      await visit.page.getByRole('heading', { name: title }).waitFor();
      await expectWellMade(visit);
    }
  });

  test('pages whose requests fail', async () => {
    const { page } = await pages.visit('', { theme, width, mode: 'broken' });
    const cookies = await page.context().cookies();
    for (const path of ['', 'jobs', JOB_PATH, 'workers', 'recurring', 'events', 'health', 'audit']) {
      await page.context().addCookies(cookies);
      await page.goto(`${pages.url}${path}`);
      const note = page.getByRole('alert');
      await note.getByRole('heading', { name: 'The database is down' }).waitFor();
      expect(await note.textContent()).toContain('connect ECONNREFUSED');
      expect(await violationsOf(page)).toEqual([]);
      const again = await note.getByRole('button', { name: 'Try again' }).elementHandle();
      await page.context().clearCookies();
      // By the element, because the page also retries automatically, and then the button is gone.
      await again.dispatchEvent('click');
      await page.locator('.problem, .skeleton').first().waitFor({ state: 'detached' });
    }
  });
});

test('a reader sees no actions, and a note', async () => {
  const { page } = await open('', { mode: 'reader' });
  for (const path of ['queues/mail', 'jobs?state=failed', JOB_PATH, 'recurring', 'workers']) {
    await page.goto(`${pages.url}${path}`);
    await settled(page);
    await page.getByText('read only').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    for (const action of ['Retry', 'Pause', 'Resume', 'Run now', 'Save limits', 'Cancel', 'Quiet', 'Stop']) {
      expect(await page.getByRole('button', { name: action }).count()).toBe(0);
    }
  }
});

test('the page is shown before its data', async () => {
  const { page } = await pages.visit('favicon.svg');
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/**', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(pages.url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.locator('.skeleton').first().waitFor();
  release();
  await page.getByRole('heading', { name: 'Queues' }).waitFor();
});

test('a long payload is cut, wrapped and downloaded, and shows control characters', async () => {
  const { page, errors } = await pages.visit('workers', { width: 375 });
  const text = `invoice\u202Efdp.exe ${'x'.repeat(1_000_000)}`;
  await page.route(`**/api/${JOB_PATH}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), payload: { text } } });
  });
  await page.goto(`${pages.url}${JOB_PATH}`);
  const payload = page.getByRole('region', { name: 'Payload' });
  const code = payload.getByLabel('payload', { exact: true });
  expect(await code.textContent()).toContain('"invoice\\u202Efdp.exe xxx');
  await payload.getByText('1 MB', { exact: true }).waitFor();
  await payload.getByText('The first 20,000 of 1,000,0').waitFor();
  expect(await code.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await expectWellMade({ page, errors });
  const downloaded = page.waitForEvent('download');
  await payload.getByRole('button', { name: 'Download the payload' }).click();
  expect(JSON.parse(await readFile(await (await downloaded).path(), 'utf8'))).toEqual({ text });
  // No button covers the text.
  const [buttons, below] = [payload.getByRole('button', { name: 'Copy the payload' }), code];
  const [above, under] = await Promise.all([buttons.boundingBox(), below.boundingBox()]);
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(under?.y ?? 0);
  await payload.getByRole('button', { name: 'Wrap' }).click();
  expect(await code.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeGreaterThan(1000);
  await payload.getByRole('button', { name: 'Show all' }).click();
  await payload.getByText('The first 20,000').waitFor({ state: 'detached' });
});
