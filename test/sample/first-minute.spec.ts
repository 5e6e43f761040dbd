import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import { RunningCommand } from '../packaging/terminal.js';
import { TestBrowser, settled } from '../support/browser.js';
import { createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { SHOP, Shop, shopEnvironment } from '../support/shop.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

const folder = fileURLToPath(new URL('../..', import.meta.url));

/** A job as the dashboard shows it. */
interface JobRow {
  readonly id: string;
  readonly key: string | null;
  readonly state: string;
  readonly attempt: number;
  readonly failures: number;
  readonly error: string | null;
}

// `npm start` builds it first.
jest.setTimeout(180_000);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const untilGone = (pids: readonly number[]) => waitFor('no process is left', () => !pids.some(isAlive));

describeEach(
  'npm start',
  (engine) => {
    let npm: RunningCommand;
    let shop: Shop;
    let browser: TestBrowser;
    afterAll(async () => {
      await browser.close();
      await npm.end('SIGINT');
    });
    const database = useDatabase(engine, createEmptyDatabase);
    beforeAll(async () => {
      npm = RunningCommand.start('npm start', {
        folder,
        environment: { ...process.env, ...shopEnvironment(database) },
      });
      shop = await Shop.of(npm);
      [browser] = await Promise.all([TestBrowser.start(), shop.untilWorking()]);
    });

    const dashboard = <T>(path: string) => shop.get<T>(`/queues/api/${path}`);
    const jobs = async (query: string) => (await dashboard<{ readonly jobs: JobRow[] }>(`jobs?${query}`)).jobs;
    const workerPids = async () => (await shop.controls()).workers.map(({ pid }) => pid);

    test('jobs succeed on the dashboard without any action', async () => {
      expect(npm.output).toContain(`The dashboard: ${shop.address}/queues/`);
      await waitFor('a mail is sent', async () => (await jobs('state=succeeded&name=mail.send'))[0]);
      const reports = await waitFor(
        'a recurring job is run',
        async () => (await jobs('state=succeeded&name=report.sales'))[0],
      );
      expect(reports.attempt).toBe(1);

      const { page, errors } = await browser.visit(`${shop.address}/queues/jobs?state=succeeded`);
      await settled(page);
      await page.getByText('Live', { exact: true }).waitFor();
      const newest = () => page.locator('[data-job]').first().getAttribute('data-job');
      const before = await newest();
      await waitFor('another job is at the top', async () => (await newest()) !== before);
      expect(errors).toEqual([]);
    });

    test('the mail of an order placed on the page is sent', async () => {
      // One of them may have a wrong address.
      const ids = await shop.order(2);
      const mail = await waitFor('a mail of them is sent', async () => {
        const sent = await Promise.all(ids.map((id) => jobs(`state=succeeded&name=mail.send&key=order:${id}`)));
        return sent.flat()[0];
      });
      expect(mail).toMatchObject({ attempt: 1, failures: 0 });
      expect(ids.map((id) => `order:${id}`)).toContain(mail.key);
    });

    test('while the receiver fails, notices wait longer and longer; after that they are delivered', async () => {
      await shop.send('PUT', '/controls/receiver', { mood: 'failing' });
      await shop.order(4);
      const refused = await waitFor('a notice was refused twice', async () =>
        (await jobs('state=scheduled&name=payment.notice')).find(({ failures }) => failures === 2),
      );
      expect(refused.error).toContain('The receiver answered 503.');
      const waiting = (await jobs('state=scheduled&name=payment.notice')).map(({ id }) => id);
      // On a busy machine it may be running already.
      const refusedIds = new Set([refused.id, ...waiting]);
      await shop.send('PUT', '/controls/receiver', { mood: 'a little unwell' });
      // One is enough: every fifth notice is still rejected, and the next delay is twice as long.
      const delivered = await waitFor('one is delivered that was refused twice', async () =>
        (await jobs('state=succeeded&name=payment.notice')).find(
          ({ id, failures }) => refusedIds.has(id) && failures >= 2,
        ),
      );
      expect(delivered.attempt).toBeGreaterThan(2);
    });

    test('within two minutes it shows an alert, failures by error, a log and a graph', async () => {
      const until = <T>(what: string, find: () => Promise<T | undefined | false>) => waitFor(what, find, 120_000);
      await until('an alert is shown', async () => (await shop.controls()).alerts[0]);
      const mail = await until('two mails failed with one error', async () => {
        const { errors } = await dashboard<{ readonly errors: { title: string; count: number }[] }>('jobs/failures');
        return errors.find(({ title, count }) => title.includes('There is no mailbox <email>') && count > 1);
      });
      expect(mail.title).toBe('UnrecoverableJobError: <number> There is no mailbox <email>.');
      const label = await until('a label is printed', async () => (await jobs('state=succeeded&name=label.print'))[0]);
      const { lines } = await dashboard<{ readonly lines: { message: string }[] }>(`jobs/${label.id}/log`);
      expect(lines.map(({ message }) => message)).toContain('printed');
      const { nodes } = await dashboard<{ readonly nodes: { names: string[] }[] }>(`jobs/${label.id}/graph`);
      expect(nodes.flatMap(({ names }) => names)).toEqual(expect.arrayContaining(['order.ship', 'label.print']));
    });

    test('the jobs of a killed worker run again', async () => {
      await shop.order(8);
      const killed = await shop.killBusyWorker();
      // Durable jobs wait for longer than this test.
      for (const { id, attempt } of killed.jobs.filter(({ name }) => name !== 'order.ship')) {
        const again = await waitFor('it is run again', async () => {
          const job = await dashboard<JobRow>(`jobs/${id}`);
          return job.state === 'succeeded' && job;
        });
        expect(again.attempt).toBeGreaterThan(attempt);
      }
    });

    test('Ctrl+C ends all of its processes', async () => {
      const pids = await workerPids();
      expect(pids.length).toBeGreaterThan(0);
      // Browsers open connections in advance.
      const unused = connect(Number(new URL(shop.address).port), '127.0.0.1');
      await once(unused, 'connect');
      try {
        await npm.end('SIGINT');
      } finally {
        unused.destroy();
      }
      await untilGone(pids);
    });

    test('a shop that is killed leaves no worker process', async () => {
      const environment = { ...process.env, ...shopEnvironment(database), DEMO: 'off' };
      const program = RunningCommand.start(`exec node ${fileURLToPath(SHOP)}`, { folder, environment });
      shop = await Shop.of(program);
      const pids = await shop.untilWorking();
      process.kill(program.pid!, 'SIGKILL');
      try {
        await untilGone(pids);
      } finally {
        pids.filter(isAlive).forEach((pid) => process.kill(pid, 'SIGKILL'));
      }
    });
  },
  ['sqlite'],
);
