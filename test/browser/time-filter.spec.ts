import { expect, test } from '@jest/globals';

import { settled } from '../support/browser.js';
import { mockedBrowser } from '../support/mocked-browser.js';
import { waitFor } from '../support/wait-for.js';

const pages = mockedBrowser();
const MINUTE = 60_000;

test('"last hour" moves on while the page is open, but not while jobs are selected', async () => {
  const { page } = await pages.visit('');
  let ahead = 0;
  const begins: number[] = [];
  const overviews: number[] = [];
  // The pages use the time in responses. Without events they poll the overview.
  await page.route('**/api/live*', (route) => route.abort());
  await page.route(/\/api\/(jobs\?|overview\b)/, async (route) => {
    const url = new URL(route.request().url());
    const isOverview = url.pathname.endsWith('overview');
    const sent = ahead;
    if (!isOverview) {
      begins.push(Number(url.searchParams.get('from')));
    }
    const response = await route.fetch();
    const body = (await response.json()) as { takenAt: number };
    await route.fulfill({ response, json: { ...body, takenAt: body.takenAt + sent } });
    if (isOverview) {
      overviews.push(sent);
    }
  });
  await page.goto(`${pages.url}jobs?state=failed&within=3600000`);
  await settled(page);
  const [first = 0] = begins;
  expect(first % MINUTE).toBe(0);

  ahead = 2 * MINUTE;
  await waitFor('a later hour', () => begins.some((begin) => begin > first));

  const rows = page.getByRole('checkbox', { name: 'Select all jobs of this page' });
  await rows.check();
  ahead = 60 * MINUTE;
  await waitFor('the pages received the later time', () => overviews.filter((sent) => sent === ahead).length > 1);
  const muchLater = (begin: number) => begin > first + 50 * MINUTE;
  expect(begins.filter(muchLater)).toEqual([]);
  // Not `uncheck`, which checks the box again: an hour later there may be no failed job and no box.
  await rows.click();
  await waitFor('an hour later', () => begins.some(muchLater));
  // Closing the page would abort responses in progress.
  await page.unrouteAll({ behavior: 'wait' });
});
