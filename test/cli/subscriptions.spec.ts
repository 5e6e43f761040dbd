import { expect, test } from '@jest/globals';
import { eventHandler } from '@tablequeue/typeorm';
import { TableQueueSubscription } from '@tablequeue/typeorm/internal';

import { commandUrl, runHere } from '../support/command-line.js';
import { describeEach } from '../support/each-engine.js';
import { paid, register } from '../support/events.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mailing = eventHandler(paid, { subscription: 'mailing', queue: 'mail' }, () => undefined);
const books = eventHandler(paid, { subscription: 'books', queue: 'books' }, () => undefined);

describeEach('subscriptions of events on the command line', (engine) => {
  const bench = useWorkbench(engine);
  const run = (...args: string[]) => runHere(args, { TABLEQUEUE_URL: commandUrl(bench.database) });
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out) as never as unknown;

  /** Publishes an event. The jobs of `mailing` wait. */
  async function publish(order: number): Promise<void> {
    await bench.queue.control.pause('mail');
    const worker = await bench.work([mailing, books]);
    const { id } = await bench.queue.publish(paid, { order });
    await bench.untilJobIs(id, 'succeeded');
    await waitFor('the job of the other subscription has run', async () => {
      return (await bench.liveJobs()).every(({ queue }) => queue === 'mail');
    });
    await worker.stop();
  }

  test('subscriptions: how far each is behind', async () => {
    expect((await run('subscriptions')).out).toBe('No event has a subscription.\n');
    await publish(1);
    const row = { event: 'order.paid', priority: 0, registeredAt: expect.any(String), isCapped: false };
    expect(await json('subscriptions')).toEqual([
      {
        ...row,
        name: 'mailing',
        queue: 'mail',
        job: 'order.paid@mailing',
        unfinished: 1,
        oldestAt: expect.any(String),
        unhandledSince: null,
      },
      {
        ...row,
        name: 'books',
        queue: 'books',
        job: 'order.paid@books',
        unfinished: 0,
        oldestAt: null,
        unhandledSince: null,
      },
    ]);
    await bench.dataSource.getRepository(TableQueueSubscription).update({ name: 'books' }, { handledAt: 0 });
    const { out } = await run('subscriptions');
    expect(out).toMatch(/^event +subscription +queue +unfinished +oldest since +no worker since$/m);
    expect(out).toMatch(/^order\.paid +mailing +mail +1 +20\S+Z$/m);
    expect(out).toMatch(/^order\.paid +books +books +0 +1970-01-01T00:00:00Z$/m);
  });

  test('replay: the jobs of a period again', async () => {
    expect(await run('replay', 'order.paid', 'mailing', '--from', '1h')).toMatchObject({
      code: 1,
      err: expect.stringContaining('mailing'),
    });
    await publish(1);
    const jobs = async (...period: string[]) => {
      const { id } = (await json('replay', 'order.paid', 'mailing', ...period)) as { id: string };
      const worker = await bench.work([mailing]);
      const result = await bench.queue.waitFor(id);
      await worker.stop();
      return result;
    };
    expect(await jobs('--from', '1h')).toMatchObject({ jobs: 1 });
    expect(await jobs('--from', '2020-01-01T00:00Z', '--to', '2020-01-02T00:00+01:00')).toMatchObject({ jobs: 0 });
    expect((await run('replay', 'order.paid', 'mailing', '--from', '1h')).out).toMatch(/^The replay is job \S+\. /);
    expect(await run('replay', 'order.paid', 'mailing')).toMatchObject({ code: 2, out: '' });
    expect((await run('replay', 'order.paid', 'mailing', '--from', 'yesterday')).err).toContain(
      'It must be a time with its time zone, such as 2026-11-28T09:00Z, or a duration with its unit, such as 2h.',
    );
    expect(await run('replay', 'order.paid', 'mailing', '--from', '2020-01-01T00:00')).toMatchObject({
      code: 2,
      err: expect.stringContaining('a time with its time zone'),
    });
  });

  test('unsubscribe: with --yes, and its jobs can be cancelled by their name', async () => {
    await register((handlers) => bench.worker(handlers), [books]);
    await publish(1);
    const unsubscribe = ['unsubscribe', 'order.paid', 'mailing'];
    const jobs = 'its unfinished jobs (1) stay: tablequeue cancel --queue mail --name order.paid@mailing\n';
    expect(await run(...unsubscribe)).toMatchObject({
      code: 0,
      out: `"mailing" of order.paid would be removed; ${jobs}Nothing was changed. Repeat the command with --yes.\n`,
      err: expect.stringContaining('a worker had its handler within the last five minutes'),
    });
    expect(await bench.rows(TableQueueSubscription)).toHaveLength(2);
    await bench.dataSource.getRepository(TableQueueSubscription).update({ name: 'mailing' }, { handledAt: 0 });
    const removed = { code: 0, out: `Removed "mailing" of order.paid; ${jobs}`, err: '' };
    expect(await run(...unsubscribe, '--yes')).toEqual(removed);
    expect(await bench.rows(TableQueueSubscription)).toMatchObject([{ name: 'books' }]);
    expect(await run(...unsubscribe, '--yes')).toEqual({
      code: 1,
      out: 'order.paid has no subscription "mailing".\n',
      err: '',
    });
    expect(await json(...unsubscribe)).toEqual({ event: 'order.paid', name: 'mailing', exists: false, removed: false });
    expect((await run('cancel', '--queue', 'mail', '--name', 'order.paid@mailing', '--yes')).out).toBe(
      '1 job cancelled, 0 running asked to stop.\n',
    );
    expect((await run('retry', '--name', 'order.paid@mailing')).out).toBe('No job matches.\n');
  });
});
