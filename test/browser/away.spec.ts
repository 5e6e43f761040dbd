import 'reflect-metadata';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Overview } from '@tablequeue/dashboard';
import { defineJob } from '@tablequeue/typeorm';
import { FaultProxy } from '@tablequeue/verify/internal';

import { TestBrowser, settled } from '../support/browser.js';
import { DashboardApplication } from '../support/dashboard.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { EventStream } from '../support/event-stream.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });
const READS = [
  'overview',
  'queues',
  'queues/mail',
  'series?span=hour',
  'jobs?state=ready',
  'workers',
  'schedules',
  'doctor',
  'audit',
];
const UNAVAILABLE = { type: 'tablequeue:database-unavailable', status: 503, title: 'The database does not answer' };

describeEach(
  'a database that becomes unavailable and returns',
  () => {
    let database: TestDatabase;
    let proxy: FaultProxy;
    let application: DashboardApplication;
    let browser: TestBrowser;
    beforeAll(async () => {
      database = await createDatabase('mariadb');
      proxy = new FaultProxy(new URL(database.url));
      await proxy.open();
      const proxied = { ...database, options: (extra?: object) => database.options({ ...extra, url: proxy.url }) };
      application = await DashboardApplication.start(proxied);
      browser = await TestBrowser.start();
      await application.queue().enqueue(mail);
    });
    afterAll(async () => {
      await browser.close();
      await application.close();
      await proxy.close();
      await database.drop();
    });

    test('requests and the stream report a problem, and the pages show it and recover', async () => {
      const stream = await EventStream.open(`${application.url}/queues/api/live`);
      expect((await stream.next())?.event).toBe('overview');
      const { page } = await browser.visit(`${application.url}/queues/jobs?state=ready`);
      await settled(page);
      await page.getByText('Live', { exact: true }).waitFor();

      const heal = proxy.refuse();
      proxy.cut();
      // Until then the last read is shared.
      expect(await untilEvent(stream, 'problem')).toMatchObject(UNAVAILABLE);
      for (const path of READS) {
        const { status, body } = await application.get(path);
        expect([path, status, body]).toEqual([path, 503, expect.objectContaining(UNAVAILABLE)]);
      }
      const changed = await application.write('POST', 'jobs/bulk', { action: 'cancel', filter: { state: 'ready' } });
      expect(changed).toMatchObject({ status: 503, body: UNAVAILABLE });
      await page.getByText('Disconnected since').waitFor();
      await page.goto(`${application.url}/queues/jobs?state=ready`);
      const note = page.getByRole('alert');
      await note.getByRole('heading', { name: UNAVAILABLE.title }).waitFor();
      await note.getByText(UNAVAILABLE.type).waitFor();
      const again = await note.getByRole('button', { name: 'Try again' }).elementHandle();

      heal();
      expect((await untilEvent(stream, 'overview')) as Overview).toMatchObject({ queueCount: 1 });
      await waitFor('requests succeed', async () => (await application.get('jobs?state=ready')).status === 200);
      // By the element, because the page also retries automatically, and then the button is gone.
      await again.dispatchEvent('click');
      await page.getByRole('link', { name: 'mail', exact: true }).first().waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      stream.close();
    });
  },
  ['mariadb'],
);

async function untilEvent(stream: EventStream, wanted: string): Promise<unknown> {
  return waitFor(`the event ${wanted}`, async () => {
    const event = await stream.next();
    return event?.event === wanted && event.data;
  });
}
