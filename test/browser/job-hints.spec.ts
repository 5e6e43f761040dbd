import { readFile } from 'node:fs/promises';

import { describe, expect, test } from '@jest/globals';
import type { JobDetail, QueueRow } from '@tablequeue/dashboard';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { JOB_PATH, mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

const DOCS = 'https://github.com/tablequeue/tablequeue/blob/main/docs/';

/** What the API answers without a change. */
const read = async <T>(path: string): Promise<T> => (await (await fetch(`${pages.url}api/${path}`)).json()) as T;

/** Opens the page of a job with other answers of the API. */
async function open(change: Partial<JobDetail>, changeQueue: (row: QueueRow) => object = () => ({})): Promise<Page> {
  const { page } = await pages.visit('audit');
  const job = { ...(await read<JobDetail>(JOB_PATH)), ...change };
  const row = await read<QueueRow>(`queues/${job.queue}`);
  await page.route(`**/api/${JOB_PATH}`, (route) => route.fulfill({ json: job }));
  await page.route('**/api/queues/*', (route) =>
    route.fulfill({ json: { ...row, pausedAt: null, ...changeQueue(row) } }),
  );
  await page.goto(`${pages.url}${JOB_PATH}`);
  await settled(page);
  return page;
}

const attempts = (page: Page) => page.getByRole('region', { name: 'Attempts' });

describe('attempts that did not finish', () => {
  const interrupted = { startedAt: null, endedAt: null, outcome: 'interrupted', error: null, stack: null } as const;
  const job: Partial<JobDetail> = {
    state: 'scheduled',
    attempt: 2,
    failures: 0,
    steps: [],
    attempts: [1, 2].map((attempt) => ({ ...interrupted, attempt })),
  };
  const hint = 'no handler for it, a newer payload version, or an unknown codec';

  test('may have had no handler, which the documentation explains', async () => {
    const page = await open(job);
    await attempts(page).getByText(hint).waitFor();
    expect(await attempts(page).getByText(hint).count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    const address = await attempts(page).getByRole('link', { name: 'What to do' }).getAttribute('href');
    const [file = '', heading] = (address ?? '').slice(DOCS.length).split('#');
    expect([address?.startsWith(DOCS), heading]).toEqual([true, 'no-handler']);
    expect(await readFile(new URL(`../../docs/${file}`, import.meta.url), 'utf8')).toContain('\n## No handler\n');
  });

  test.each([
    ['of a job that has failed before', { failures: 1 }],
    ['of a job that has ended', { state: 'cancelled' as const }],
    [
      'of a durable job that sleeps',
      {
        steps: [
          {
            name: 'a night',
            kind: 'sleep' as const,
            state: 'open' as const,
            attempt: 1,
            failures: 0,
            dueAt: Date.now() + 60_000,
            awaits: [],
            error: null,
            took: null,
            recordedAt: Date.now(),
            children: null,
          },
        ],
      },
    ],
  ])('are explained otherwise: %s', async (_which, change) => {
    const page = await open({ ...job, ...change });
    await attempts(page).getByText('It did not finish').first().waitFor();
    expect(await attempts(page).getByText(hint).count()).toBe(0);
  });
});

describe('what a ready job waits for', () => {
  const job: Partial<JobDetail> = { state: 'ready', queue: 'search', tenant: null, attempts: [] };
  const none = { concurrency: null, rate: null, perTenant: null, ratePerTenant: null, maxLength: null };
  const rate = { jobs: 10, per: 60_000, burst: null };
  const running = (count: number) => ({ count, isCapped: false, isEstimate: false, countedAt: 0, perMinute: null });

  test.each([
    ['no limit', {}, null, 'Ready: the next free worker runs it'],
    ['a full queue', { concurrency: 3 }, null, 'Ready: the queue’s limit of 3 running jobs is reached'],
    ['free slots', { concurrency: 4 }, null, 'Ready: the next free worker runs it'],
    ['a rate', { rate }, null, 'Ready: the next free worker runs it when the queue’s limits allow it'],
    ['a limit of its tenant', { perTenant: 2 }, 'acme', /when the queue’s limits allow it/],
    ['a rate of its tenant', { ratePerTenant: rate }, 'acme', /when the queue’s limits allow it/],
    ['a limit of tenants, without one', { perTenant: 2 }, null, 'Ready: the next free worker runs it'],
    ['a maximum length', { maxLength: 9 }, null, 'Ready: the next free worker runs it'],
  ])('%s', async (_what, limits, tenant, expected) => {
    const page = await open({ ...job, tenant }, ({ counts }) => ({
      limits: { ...none, ...limits },
      counts: { ...counts, running: running(3) },
    }));
    await attempts(page).getByText(expected, { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const link = attempts(page).getByRole('link', { name: 'the queue’s limit' });
    if ((await link.count()) > 0) {
      await link.click();
      await page.getByRole('heading', { level: 1, name: 'search' }).waitFor();
    }
  });
});

describe('a waiting job', () => {
  const order = { key: 'account 4711', head: JOB_PATH.slice(5), blockedAt: null, ahead: 3 };
  const group = { id: JOB_PATH.slice(5), jobs: 2, succeeded: 2, failed: 0, cancelled: 0, expired: 0, pending: 0 };
  const waiting: Partial<JobDetail> = { state: 'waiting', steps: [], attempts: [], waitsFor: null, order: null };

  test.each([
    ['of an order key', { order }, 'Waits for earlier jobs of its order key'],
    ['of a blocked key', { order: { ...order, blockedAt: 1 } }, 'Waits: a failed job blocks its order key'],
    [
      'of a group that has ended, and an order key',
      { order, waitsFor: { ...group, members: [] } },
      'Waits for earlier jobs of its order key',
    ],
    ['of a group', { waitsFor: { ...group, pending: 1, members: [] } }, 'Waits for the jobs below'],
  ])('%s names what it waits for', async (_which, change, expected) => {
    const page = await open({ ...waiting, ...change });
    await attempts(page).getByText(expected, { exact: true }).waitFor();
  });
});
