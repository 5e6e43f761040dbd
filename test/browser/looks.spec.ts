import { describe, expect, test } from '@jest/globals';

import { COLOUR_RULES, violationsOf } from '../support/axe.js';
import { type Look, type Visit, WIDTHS, settled } from '../support/browser.js';
import { JOB_PATH, PAGES, mockedBrowser } from '../support/mocked-browser.js';
import { waitFor } from '../support/wait-for.js';

const pages = mockedBrowser();

async function open(path: string, look: Look): Promise<Visit> {
  const visit = await pages.visit(path, look);
  await settled(visit.page);
  return visit;
}

/** Nothing is wider than the window, nothing that axe knows is wrong, and nothing was said in the console. */
async function expectWellMade({ page, errors }: Visit, rules?: readonly string[]): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  expect(await violationsOf(page, rules)).toEqual([]);
  expect(errors).toEqual([]);
}

describe.each(WIDTHS)('%i pixels wide', (width) => {
  test.each([...PAGES, ['no page', 'there/is/none'] as const])('%s, in both themes', async (_name, path) => {
    const visit = await open(path, { width, theme: 'light' });
    await waitFor('its title', async () => (await visit.page.title()).endsWith(' · Tablequeue'));
    await expectWellMade(visit);
    await visit.page.emulateMedia({ colorScheme: 'dark' });
    await expectWellMade(visit, COLOUR_RULES);
  });
});

/** What has fewer colours is looked at once on each. */
describe.each([
  ['light', 1280],
  ['dark', 375],
] as const)('in the %s theme, %i pixels wide', (theme, width) => {
  test('nothing is there', async () => {
    const visit = await open('', { theme, width, mode: 'empty' });
    for (const [path, says] of [
      ['', 'No jobs yet'],
      ['jobs?state=failed', 'No job has failed'],
      ['workers', 'No worker is running'],
      ['recurring', 'Nothing is enqueued again and again'],
      ['audit', 'Nobody has changed anything'],
    ] as const) {
      await visit.page.goto(`${pages.url}${path}`);
      await visit.page.getByRole('heading', { name: says }).waitFor();
      await expectWellMade(visit);
    }
  });

  test('nothing can be read', async () => {
    const { page } = await pages.visit('', { theme, width, mode: 'broken' });
    const cookies = await page.context().cookies();
    for (const path of ['', 'jobs', JOB_PATH, 'workers', 'recurring', 'health', 'audit']) {
      await page.context().addCookies(cookies);
      await page.goto(`${pages.url}${path}`);
      const note = page.getByRole('alert');
      await note.getByRole('heading', { name: 'The database is away' }).waitFor();
      expect(await note.textContent()).toContain('connect ECONNREFUSED');
      expect(await violationsOf(page)).toEqual([]);
      const again = await note.getByRole('button', { name: 'Try again' }).elementHandle();
      await page.context().clearCookies();
      // By the element: the page tries by itself as well, and has no such button meanwhile, or any more.
      await again.dispatchEvent('click');
      await page.locator('.problem, .skeleton').first().waitFor({ state: 'detached' });
    }
  });
});

test('a reader sees no action, and is told why', async () => {
  const { page } = await open('', { mode: 'reader' });
  for (const path of ['queues/mail', 'jobs?state=failed', JOB_PATH, 'recurring']) {
    await page.goto(`${pages.url}${path}`);
    await settled(page);
    await page.getByText('read only').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    for (const action of ['Retry', 'Pause', 'Resume', 'Run now', 'Save limits', 'Cancel']) {
      expect(await page.getByRole('button', { name: action }).count()).toBe(0);
    }
  }
});

test('the page is there before the figures are', async () => {
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
