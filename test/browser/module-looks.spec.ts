import 'reflect-metadata';

import { expect, jest, test } from '@jest/globals';

import { TableQueueWorker, defineEvent, eventHandler } from '@tablequeue/typeorm';

import { violationsOf } from '../support/axe.js';
import { idle, mail, moduleInBrowser, report, watch } from '../support/module-in-browser.js';
import { waitFor } from '../support/wait-for.js';

// axe takes seconds for a page while other tests run.
jest.setTimeout(120_000);

const { open, queue, untilState } = moduleInBrowser('sqlite');

/** Creates one of everything that the pages show. Returns the id of a failed job. */
async function fill(): Promise<string> {
  const { groups, jobs, recurring, control } = queue();
  const { id: failed } = await queue().enqueue(mail, { to: 'mary@example.com' }, { key: 'order:42' });
  const { id: running } = await queue().enqueue(watch);
  const { id: rendered } = await queue().enqueue(report);
  const { id: scheduled } = await queue().enqueue(report, undefined, { delay: '1h' });
  await queue().enqueue(idle);
  await groups.enqueue({ jobs: [{ definition: report, delay: '1h' }], onComplete: { definition: report } });
  await recurring.set('monthly', report, undefined, { cron: '0 6 1 * *', timeZone: 'Europe/Berlin' });
  await recurring.set('hourly', report, undefined, { every: '1h' });
  await recurring.pause('hourly', { by: 'mary' });
  await control.pause('mail', { by: 'mary' });
  const paid = eventHandler(defineEvent('order.paid'), { subscription: 'books', queue: 'books' }, () => undefined);
  const subscriber = new TableQueueWorker(queue(), [paid]);
  await subscriber.start();
  await subscriber.stop();
  await jobs.changePriority([scheduled], -7, { by: 'mary' });
  await untilState(failed, 'failed');
  await untilState(running, 'running');
  await untilState(rendered, 'succeeded');
  return failed;
}

// The other theme and width: looks.spec.ts.
test('every page with real data, in the dark theme, 375 pixels wide', async () => {
  const failed = await fill();
  for (const [path, shows] of [
    ['', '1 failed job of queue "mail" awaits a decision'],
    ['/queues/mail', 'paused for'],
    ['/jobs?state=failed', '451 The receiver is away'],
    ['/jobs?state=running', 'watches'],
    [`/jobs/${failed}`, '"mary@example.com"'],
    ['/search?text=receiver%20is', 'Found in'],
    ['/workers', `pid ${process.pid}`],
    ['/recurring', '0 6 1 * *'],
    ['/events', 'order.paid'],
    ['/blocked-keys', 'No order key is blocked'],
    ['/health', 'SQLite'],
    ['/audit', 'hourly'],
  ] as const) {
    const { page, errors } = await open(path, { theme: 'dark', width: 375 });
    await waitFor(`${path} shows its data`, () => page.getByText(shows).filter({ visible: true }).first().isVisible());
    expect([path, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([path, 0]);
    expect([path, await violationsOf(page)]).toEqual([path, []]);
    expect([path, errors]).toEqual([path, []]);
    await page.context().close();
  }
});
