import 'reflect-metadata';

import { describe, expect, test } from '@jest/globals';

import type { Engine } from '../servers/engines.js';
import { Mailer, idle, mail, moduleInBrowser, report, watch } from '../support/module-in-browser.js';
import { bulkTests } from './module-bulk.js';
import { nameTests } from './module-names.js';

/** The names on the page Health. */
const SERVERS = { sqlite: 'SQLite', mariadb: 'MariaDB', mariadb118: 'MariaDB', mysql: 'MySQL', mysql56: 'MySQL' };

/** Tests actions on the pages and their effect in the database, on one engine. */
export function moduleSuite(engine: Engine): void {
  const module = moduleInBrowser(engine);
  const { open, queue, untilNotice, untilState } = module;
  describe('on many jobs', () => bulkTests(module));
  describe('with unusual names', () => nameTests(module));

  test('a failed job is found, opened and retried, and succeeds', async () => {
    const { id } = await queue().enqueue(mail, { to: 'mary@example.com' }, { key: 'order:42' });
    await untilState(id, 'failed');
    const { page, errors } = await open('/jobs?state=failed&queue=mail&key=order:42');
    await page.getByText('451 The receiver is away').waitFor();
    await page.getByRole('link', { name: 'Failed 1' }).waitFor();
    await page.getByRole('link', { name: 'mail.send' }).click();
    await page.getByText('"mary@example.com"').waitFor();
    await page.getByText('Stack', { exact: true }).click();
    await page.getByLabel('stack of attempt 1', { exact: true }).waitFor();

    Mailer.isReceiverAway = false;
    await page.getByRole('button', { name: 'Retry' }).focus();
    await page.keyboard.press('Enter');
    await untilNotice(page, 'Retried mail.send.');
    // The button is gone, so the heading has the focus.
    await page.locator('h1:focus').waitFor();
    await page.locator('.page-heading').getByText('succeeded').waitFor();
    await untilState(id, 'succeeded');
    // The tabs of the list show its new state.
    await page.getByRole('link', { name: 'order:42' }).click();
    await page.getByRole('link', { name: 'Failed 0' }).click();
    await page.getByText('No failed job matches').waitFor();
    await page.getByRole('link', { name: 'Succeeded 1' }).click();
    await page.getByRole('link', { name: 'mail.send' }).waitFor();
    expect(errors).toEqual([]);
  });

  test('a failed job is retried with another payload, and succeeds; its copy has another id', async () => {
    const { id } = await queue().enqueue(mail, { to: 'mary@example.com' });
    await untilState(id, 'failed');
    const { page, errors } = await open(`/jobs/${id}`);
    Mailer.isReceiverAway = false;
    await page.getByRole('button', { name: 'Edit payload' }).click();
    await page.getByRole('textbox', { name: 'Payload' }).fill('{"to":"ada@example.com"}');
    await page.getByRole('textbox', { name: 'Reason' }).fill('wrong address');
    await page.getByRole('button', { name: 'Retry with this payload' }).click();
    await untilNotice(page, 'Retried mail.send with the new payload.');
    await untilState(id, 'succeeded');
    expect((await queue().find(id))?.payload).toEqual({ to: 'ada@example.com' });
    await page.getByRole('button', { name: 'Copy job' }).click();
    await page.getByRole('button', { name: 'Enqueue the copy' }).click();
    await untilNotice(page, `This is a copy of ${id}.`);
    await page.waitForURL((url) => url.pathname.includes('/jobs/') && !url.pathname.endsWith(id));
    const copy = page.url().replace(/^.*\/jobs\/([^?]+).*$/, '$1');
    await untilState(copy, 'succeeded');
    const { entries } = await queue().activity.audit();
    expect(entries.map(({ action, who, target, detail }) => ({ action, who, target, detail }))).toEqual([
      { action: 'copy', who: 'mary', target: `job ${copy}`, detail: { copyOf: id } },
      { action: 'retry', who: 'mary', target: `job ${id}`, detail: { payload: 'edited', reason: 'wrong address' } },
    ]);
    expect(errors).toEqual([]);
  });

  test('a scheduled job gets another priority, runs now, or is cancelled', async () => {
    const [first, second] = await Promise.all([
      queue().enqueue(report, undefined, { delay: '1h' }),
      queue().enqueue(report, undefined, { delay: '2h' }),
    ]);
    const { page } = await open(`/jobs/${first.id}`);
    await page.getByRole('button', { name: 'Change priority' }).click();
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('-9');
    await page.getByRole('dialog').getByRole('button', { name: 'Change priority' }).click();
    await untilNotice(page, 'Changed the priority of report.render.');
    expect((await queue().find(first.id))?.priority).toBe(-9);
    await page.getByRole('button', { name: 'Run now' }).click();
    await untilState(first.id, 'succeeded');
    await page.getByRole('heading', { name: 'Result' }).waitFor();

    const other = await open(`/jobs/${second.id}`);
    await other.page.getByRole('button', { name: 'Cancel' }).click();
    await other.page.getByRole('button', { name: 'Cancel the job' }).click();
    await untilState(second.id, 'cancelled');

    const audit = await open('/audit');
    await audit.page.getByRole('row').filter({ hasText: 'mary' }).first().waitFor();
    expect(await audit.page.getByRole('row').filter({ hasText: 'mary' }).count()).toBe(3);
  });

  test('a running job is cancelled, and its handler is signalled to stop', async () => {
    const { id } = await queue().enqueue(watch);
    await untilState(id, 'running');
    const { page, errors } = await open(`/jobs/${id}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this job of watches?' });
    await dialog.getByText('Its handler is signalled to stop').waitFor();
    await dialog.getByRole('button', { name: 'Cancel the job' }).click();
    await untilNotice(page, 'Cancelled watch.');
    await untilState(id, 'cancelled');
    await page.locator('.page-heading').getByText('cancelled').waitFor();
    expect(errors).toEqual([]);
  });

  test('a waiting job shows its group and gets another priority, and its members link to it', async () => {
    const { onComplete = '' } = await queue().groups.enqueue({
      jobs: [{ definition: report, delay: '1h' }],
      onComplete: { definition: report },
    });
    const { page, errors } = await open(`/jobs/${onComplete}`);
    const waitsFor = page.getByRole('region', { name: 'Waits for' });
    await waitsFor.getByText('1 job: 1 pending').waitFor();
    await page.getByRole('button', { name: 'Change priority' }).click();
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('-7');
    await page.getByRole('dialog').getByRole('button', { name: 'Change priority' }).click();
    await untilNotice(page, 'Changed the priority of report.render.');
    expect(await queue().find(onComplete)).toMatchObject({ state: 'waiting', priority: -7 });
    await waitsFor.getByRole('link').click();
    await page.getByRole('region', { name: 'Followed by' }).waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await untilState(onComplete, 'succeeded');
    expect(errors).toEqual([]);
  });

  test('a ready job shows when it runs', async () => {
    await queue().control.pause('idle');
    const { id } = await queue().enqueue(idle);
    const { page, errors } = await open(`/jobs/${id}`);
    await page.getByText('Ready: it runs when its queue is resumed').waitFor();
    await queue().control.resume('idle');
    await page.getByText('Ready: no worker works on its queue').waitFor();
    expect(errors).toEqual([]);
  });

  test('a queue is paused, limited and resumed', async () => {
    await queue().enqueue(report, undefined, { delay: '1h' });
    const { page } = await open('/queues/reports');
    const control = async () => (await queue().control.list()).find((each) => each.queue === 'reports');
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause reports on all workers?' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Maintenance of the printer');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await untilNotice(page, 'Paused reports.');
    expect((await control())?.pausedAt).toBeInstanceOf(Date);
    const { entries } = await queue().activity.audit();
    expect(entries[0]).toMatchObject({ action: 'pause', detail: { reason: 'Maintenance of the printer' } });
    await page.getByRole('spinbutton', { name: 'Running at a time' }).fill('3');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await untilNotice(page, 'Saved the limits of reports.');
    expect((await control())?.concurrency).toBe(3);
    await page.getByRole('button', { name: 'Resume' }).click();
    await untilNotice(page, 'Resumed reports.');
    expect((await control())?.pausedAt).toBeUndefined();
  });

  test('a schedule is paused, run and resumed', async () => {
    await queue().recurring.set('monthly', report, undefined, { cron: '0 6 1 * *', timeZone: 'Europe/Berlin' });
    const { page, errors } = await open('/recurring');
    await page.getByRole('button', { name: 'Pause: monthly' }).click();
    await page.getByRole('dialog', { name: 'Pause monthly?' }).getByRole('button', { name: 'Pause' }).click();
    await untilNotice(page, 'Paused monthly.');
    expect((await queue().recurring.list())[0]?.pausedAt).toBeInstanceOf(Date);
    await page.getByRole('button', { name: 'Run now: monthly' }).click();
    await untilNotice(page, 'Enqueued a job of monthly.');
    await page.getByRole('row').filter({ hasText: 'monthly' }).getByText('succeeded').waitFor();
    // The manual run has not resumed it.
    expect((await queue().recurring.list())[0]?.pausedAt).toBeInstanceOf(Date);
    await page.getByRole('button', { name: 'Resume: monthly' }).click();
    await untilNotice(page, 'Resumed monthly.');
    const [resumed] = await queue().recurring.list();
    expect(resumed?.pausedAt).toBeUndefined();
    expect(resumed?.nextFireAt?.getTime()).toBeGreaterThan(Date.now());
    expect(errors).toEqual([]);
  });

  test('more schedules than a page are filtered by name and shown page by page', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `sync.${100 + index}`);
    await Promise.all(names.map((name) => queue().recurring.set(name, report, undefined, { every: '1h' })));
    const { page, errors } = await open('/recurring');
    const rows = page.getByRole('table', { name: 'Schedules' }).getByRole('rowheader');
    await page.getByText('50 of 60 schedules, by name').waitFor();
    expect(await rows.allTextContents()).toEqual(names.slice(0, 50).map((name) => expect.stringContaining(name)));
    // The rows of one page are not the first of all by another column.
    expect(await page.getByRole('button', { name: 'Next', exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByText('10 of 60 schedules, by name').waitFor();
    expect(await rows.first().textContent()).toContain('sync.150');
    await page.getByRole('link', { name: 'Previous page' }).click();
    await page.getByText('50 of 60 schedules, by name').waitFor();
    await page.getByRole('searchbox', { name: 'Name contains' }).fill('SYNC.15');
    await page.getByText('10 of 60 schedules', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('contains')).toBe('SYNC.15');
    expect(errors).toEqual([]);
  });

  test('workers and health are shown, live', async () => {
    const { page, errors } = await open('/workers');
    await page.getByRole('heading', { name: `pid ${process.pid}` }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText(SERVERS[engine]).first().waitFor();
    expect(errors).toEqual([]);
  });

  test('new jobs appear without a reload', async () => {
    await queue().enqueue(report);
    const { page, errors } = await open('');
    await page.getByText('Live', { exact: true }).waitFor();
    await queue().enqueue(report, undefined, { delay: '1h' });
    await page.getByRole('link', { name: /^Scheduled\s*1$/ }).waitFor();
    await page.getByRole('button', { name: 'Last day' }).click();
    await page
      .getByRole('img', { name: /in the last day/ })
      .first()
      .waitFor();
    expect(errors).toEqual([]);
  });
}
