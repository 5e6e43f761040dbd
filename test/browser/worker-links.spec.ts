import { expect, test } from '@jest/globals';
import type { JobDetail, Overview, WorkerPage } from '@tablequeue/dashboard';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { JOB_PATH, mockedBrowser } from '../support/mocked-browser.js';
import { waitFor } from '../support/wait-for.js';

const pages = mockedBrowser();

const JOB = JOB_PATH.slice('jobs/'.length);
const WORKERS = 12;

/** What the API answers without a change. */
const read = async <T>(path: string): Promise<T> => (await (await fetch(`${pages.url}api/${path}`)).json()) as T;

/** Serves enough workers for a long page, and a job that the last one runs. */
async function visit() {
  const { page, errors } = await pages.visit('audit');
  const [first] = (await read<WorkerPage>('workers')).workers;
  const workers = Array.from({ length: WORKERS }, (_, index) => ({ ...first, id: String(index), pid: 100 + index }));
  const worker: JobDetail['worker'] = { id: String(WORKERS - 1), host: 'web-1', pid: 99 + WORKERS };
  const job = { ...(await read<JobDetail>(JOB_PATH)), state: 'running', worker };
  await page.route('**/api/workers', (route) => route.fulfill({ json: { workers, total: WORKERS, next: null } }));
  await page.route(`**/api/${JOB_PATH}`, (route) => route.fulfill({ json: job }));
  return { page, errors };
}

test('a running job links to the card of its worker', async () => {
  const { page, errors } = await visit();
  await page.goto(`${pages.url}${JOB_PATH}`);
  const facts = page.getByRole('complementary');
  await facts.getByText('pid 111').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await facts.getByRole('link', { name: 'web-1' }).click();
  const card = page.locator(`#worker-${WORKERS - 1}`);
  const isInView = async () => {
    const [box, window] = [await card.boundingBox(), page.viewportSize()];
    return box !== null && window !== null && box.y >= 0 && box.y + box.height <= window.height;
  };
  await waitFor('its card is in view', isInView);
  await card.getByRole('heading', { name: 'web-1 pid 111' }).waitFor();
  expect(await page.locator('.is-target').count()).toBe(1);
  await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
  // Also where the workers are already known, and when the page is opened by its address.
  await page.goBack();
  await facts.getByRole('link', { name: 'web-1' }).click();
  await waitFor('its card is in view again', isInView);
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await waitFor('its card is in view at once', isInView);
  expect(await violationsOf(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test('the problem of stuck jobs links to some of them', async () => {
  const { page } = await visit();
  await page.route('**/api/live*', (route) => route.abort());
  const overview = await read<Overview>('overview');
  const [problem] = overview.problems;
  const found = [
    { ...problem, kind: 'stuck-jobs', count: 2, examples: [JOB] },
    { ...problem, kind: 'blocked-keys', count: 2, examples: ['"a" of b'] },
  ];
  await page.route('**/api/overview*', (route) => route.fulfill({ json: { ...overview, problems: found } }));
  await page.goto(pages.url);
  await settled(page);
  const problems = page.getByRole('list', { name: 'Problems' });
  await problems.getByRole('link', { name: `Job ${JOB}` }).waitFor();
  expect(await problems.getByText('For example').count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
  await problems.getByRole('link', { name: `Job ${JOB}` }).click();
  await page.getByRole('complementary').getByText('pid 111').waitFor();
});
