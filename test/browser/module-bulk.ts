import { expect, test } from '@jest/globals';
import type { EnqueueOptions } from '@tablequeue/typeorm';
import type { Page } from 'playwright-core';

import { Mailer, type ModuleInBrowser, idle, mail, report } from '../support/module-in-browser.js';

/** More than one page of the list. */
const MORE_THAN_A_PAGE = 60;

const box = (page: Page, id: string) => page.locator(`[data-job="${id}"]`).getByRole('checkbox');
const wholePage = (page: Page) => page.getByRole('checkbox', { name: 'Select all jobs of this page' });
const press = (page: Page, action: string) =>
  page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: action }).click();
const confirm = (page: Page, question: string, action: string) =>
  page.getByRole('dialog', { name: question }).getByRole('button', { name: action, exact: true }).click();

/** Tests the actions on selected jobs. */
export function bulkTests({ open, queue, untilNotice, untilState }: ModuleInBrowser): void {
  const enqueue = async (count: number, options: EnqueueOptions = { delay: '1h' }): Promise<string[]> => {
    const jobs = await Promise.all(Array.from({ length: count }, () => queue().enqueue(report, undefined, options)));
    return jobs.map(({ id }) => id);
  };
  const found = (ids: readonly string[]) => Promise.all(ids.map((id) => queue().find(id)));
  const states = async (ids: readonly string[]) => (await found(ids)).map((job) => job?.state);

  test('all failed jobs of a queue are retried by one action', async () => {
    const jobs = await Promise.all(['a', 'b', 'c'].map((to) => queue().enqueue(mail, { to })));
    await Promise.all(jobs.map(({ id }) => untilState(id, 'failed')));
    const { page, errors } = await open('/jobs?state=failed&queue=mail');
    await wholePage(page).check();
    Mailer.isReceiverAway = false;
    await press(page, 'Retry');
    await confirm(page, 'Retry 3 failed jobs of mail?', 'Retry');
    await untilNotice(page, 'Retried 3 jobs.');
    await Promise.all(jobs.map(({ id }) => untilState(id, 'succeeded')));
    expect(errors).toEqual([]);
  });

  test('selected jobs are cancelled, except one that has ended meanwhile', async () => {
    const [first, second, third] = (await enqueue(3)) as [string, string, string];
    const { page, errors } = await open('/jobs?state=scheduled');
    await box(page, first).check();
    await box(page, second).check();
    await queue().jobs.runNow([second]);
    await untilState(second, 'succeeded');
    await press(page, 'Cancel');
    await confirm(page, 'Cancel 2 scheduled jobs?', 'Cancel');
    await untilNotice(page, 'Cancelled 1 job. 1 job had changed in the meantime');
    expect(await states([first, second, third])).toEqual(['cancelled', 'succeeded', 'scheduled']);
    expect(errors).toEqual([]);
  });

  test('selected jobs run now', async () => {
    const [first, second, third] = (await enqueue(3)) as [string, string, string];
    const { page, errors } = await open('/jobs?state=scheduled&queue=reports');
    await box(page, first).check();
    await box(page, third).check();
    await press(page, 'Run now');
    await confirm(page, 'Run now 2 scheduled jobs of reports?', 'Run now');
    await untilNotice(page, 'Made ready 2 jobs.');
    await Promise.all([first, third].map((id) => untilState(id, 'succeeded')));
    expect(await states([second])).toEqual(['scheduled']);
    expect(errors).toEqual([]);
  });

  test('selected jobs get another priority', async () => {
    const [first, second, third] = (await enqueue(3, { delay: '1h', priority: 5 })) as [string, string, string];
    const { page, errors } = await open('/jobs?state=scheduled');
    await box(page, second).check();
    await box(page, third).check();
    await press(page, 'Change priority');
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('-77');
    await confirm(page, 'Change priority of 2 scheduled jobs?', 'Change priority');
    await untilNotice(page, 'Changed the priority of 2 jobs.');
    expect((await found([first, second, third])).map((job) => job?.priority)).toEqual([5, -77, -77]);
    expect(errors).toEqual([]);
  });

  test('all matching jobs are cancelled, including other pages, and no others', async () => {
    const matching = await enqueue(MORE_THAN_A_PAGE);
    const { id: other } = await queue().enqueue(idle, undefined, { delay: '1h' });
    const { page, errors } = await open('/jobs?state=scheduled&queue=reports');
    await wholePage(page).check();
    await page.getByText('50 jobs selected').waitFor();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await press(page, 'Cancel');
    await confirm(page, `Cancel ${MORE_THAN_A_PAGE} scheduled jobs of reports?`, 'Cancel');
    await untilNotice(page, `Cancelled ${MORE_THAN_A_PAGE} jobs.`);
    expect(new Set(await states(matching))).toEqual(new Set(['cancelled']));
    expect(await states([other])).toEqual(['scheduled']);
    const audit = await open('/audit');
    await audit.page.getByRole('row').filter({ hasText: 'mary' }).first().waitFor();
    expect(await audit.page.getByRole('row').filter({ hasText: 'mary' }).count()).toBe(1);
    expect(errors).toEqual([]);
  });
}
