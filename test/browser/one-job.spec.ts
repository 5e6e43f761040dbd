import { describe, expect, test } from '@jest/globals';

import { violationsOf } from '../support/axe.js';
import { settled } from '../support/browser.js';
import { changingPages } from '../support/changing-pages.js';
import { notified, rowsOf } from '../support/page-parts.js';
import { waitFor } from '../support/wait-for.js';

const changing = changingPages();
const { open } = changing;

describe('one job', () => {
  test('is cancelled with a confirmation, and retried without one', async () => {
    const page = await open('jobs?state=scheduled');
    await rowsOf(page).first().getByRole('rowheader').getByRole('link').click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click();
    await notified(page, 'Cancelled');
    await page.getByRole('button', { name: 'Retry' }).click();
    await notified(page, 'Retried');
    await page.locator('.page-heading').getByText('ready').waitFor();
  });

  test('shows its steps, gets a signal, and is retried from a step', async () => {
    const page = await open('jobs?state=scheduled&name=payment.capture');
    await rowsOf(page).first().getByRole('rowheader').getByRole('link').click();
    const steps = page.getByRole('region', { name: 'Steps' });
    await steps.getByText('Waits for returned.').waitFor();
    await steps.getByRole('button', { name: 'Send returned' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send returned to this job' });
    await dialog.getByRole('textbox').fill('{"by": ');
    expect(await dialog.getByRole('button', { name: 'Send the signal' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('{"by": "ada"}');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send the signal' }).click();
    await notified(page, 'Sent returned to payment.capture.');

    await page.goto(`${changing.pages.url}jobs?state=failed&name=payment.capture`);
    await settled(page);
    await rowsOf(page).first().getByRole('rowheader').getByRole('link').click();
    await steps.getByText('Failed 3 times. CarrierError').waitFor();
    await steps.getByRole('button', { name: 'Retry from print labels' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Retry from here' }).click();
    await notified(page, 'Retried payment.capture from print labels.');
  });

  test('is retried with another payload, copied, rescheduled and deleted', async () => {
    const page = await open('jobs?state=failed');
    await rowsOf(page).first().getByRole('rowheader').getByRole('link').click();
    const dialog = page.getByRole('dialog');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const sent = (path: string) => page.waitForRequest((request) => request.url().endsWith(path));
    await press('Edit payload');
    await dialog.getByRole('textbox', { name: 'Payload' }).fill('{"to": ');
    const retry = dialog.getByRole('button', { name: 'Retry with this payload' });
    expect(await retry.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Payload' }).fill('{"to": "ada"}');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('wrong address');
    expect(await violationsOf(page)).toEqual([]);
    const edited = sent('/edit');
    await retry.click();
    expect((await edited).postDataJSON()).toEqual({ payload: { to: 'ada' }, reason: 'wrong address' });
    await notified(page, 'with the new payload.');

    const at = Date.UTC(2030, 0, 31, 8);
    await press('Reschedule');
    await dialog.getByLabel('Run at').fill('2030-01-31T09:00');
    expect(await violationsOf(page)).toEqual([]);
    const rescheduled = sent('/reschedule');
    await dialog.getByRole('button', { name: 'Reschedule' }).click();
    expect((await rescheduled).postDataJSON()).toEqual({ runAt: at });
    await notified(page, 'Rescheduled');

    await press('Copy job');
    expect(await violationsOf(page)).toEqual([]);
    const copied = sent('/copy');
    await dialog.getByRole('button', { name: 'Enqueue the copy' }).click();
    expect((await copied).postDataJSON()).toEqual({});
    await notified(page, 'This is a copy of');

    await page.goto(`${changing.pages.url}jobs?state=succeeded`);
    await settled(page);
    await rowsOf(page).first().getByRole('rowheader').getByRole('link').click();
    await press('Delete job');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete the job' }).click();
    await notified(page, 'Deleted');
    await page.waitForURL(/jobs\?state=succeeded/);
  });

  test('is enqueued by hand', async () => {
    const page = await open('queues/mail');
    await page.getByRole('button', { name: 'Enqueue a job' }).click();
    const dialog = page.getByRole('dialog', { name: 'Enqueue a job in mail' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('mail.send');
    await dialog.getByRole('textbox', { name: 'Payload' }).fill('{"to": "ada"}');
    expect(await violationsOf(page)).toEqual([]);
    const sent = page.waitForRequest((request) => request.url().endsWith('/enqueue'));
    await dialog.getByRole('button', { name: 'Enqueue', exact: true }).click();
    const request = { queue: 'mail', name: 'mail.send', payload: { to: 'ada' }, priority: 0 };
    expect((await sent).postDataJSON()).toEqual(request);
    await notified(page, 'Enqueued mail.send.');
    await page.getByRole('heading', { name: 'mail.send' }).waitFor();
  });

  test('is run now', async () => {
    const page = await open('jobs?state=scheduled');
    await rowsOf(page).first().getByRole('rowheader').getByRole('link').click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await notified(page, 'Made ready');
  });
});

test('a waiting job links to the jobs it waits for, and those link to it', async () => {
  const page = await open('jobs?state=waiting');
  await rowsOf(page).first().getByRole('rowheader').getByRole('link').click();
  const waitsFor = page.getByRole('region', { name: 'Waits for' });
  await waitsFor.getByText('48 jobs: 43 succeeded, 1 failed, 4 pending').waitFor();
  // It is due when they end.
  expect(await page.getByText('Was due').count()).toBe(0);
  const members = waitsFor.getByRole('listitem');
  await waitsFor.getByRole('button', { name: '43 succeeded' }).click();
  await waitsFor.getByRole('button', { name: 'Show more' }).click();
  await waitFor('all are listed', async () => (await members.filter({ hasText: 'succeeded' }).count()) === 43);
  expect(await waitsFor.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  await waitsFor.getByRole('button', { name: '1 failed' }).click();
  await members.filter({ hasText: 'failed' }).waitFor();
  expect(await members.count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
  await waitsFor.getByRole('button', { name: '4 pending' }).click();
  await members.filter({ hasText: 'running' }).first().getByRole('link').click();
  const followedBy = page.getByRole('region', { name: 'Followed by' });
  await followedBy.getByRole('listitem').filter({ hasText: 'waiting' }).first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
});
