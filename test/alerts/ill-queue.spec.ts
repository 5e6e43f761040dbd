import { expect, jest, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { evaluated } from './evaluated.js';
import { useReceiver } from './use-receiver.js';

const mail = defineJob('mail', { queue: 'mail' });
const work = defineJob('work', { queue: 'work' });

describeEach('alerts while the queue is ill', (engine) => {
  const bench = useWorkbench(engine);
  const receiver = useReceiver();

  const startWorker = () =>
    bench.work([jobHandler(work, () => undefined)], {
      alerts: {
        webhooks: { team: { url: receiver().url, secret: WebhookReceiver.secret } },
        rules: { ill: { kinds: ['database-down'] }, paused: { kinds: ['paused-queues'], queues: ['mail'] } },
        interval: '100ms',
      },
    });
  const pauseMail = async () => {
    await bench.queue.control.pause('mail');
    await bench.queue.enqueue(mail);
  };
  const received = (count: number) => waitFor(`${count} messages`, () => receiver().requests.length >= count);
  const rename = (from: string, to: string) => bench.dataSource.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  const withoutTable = async (table: string, test: () => Promise<void>) => {
    await rename(table, 'hidden');
    try {
      await test();
    } finally {
      await rename('hidden', table);
    }
  };
  const changes = () =>
    receiver().messages.map(({ opened, resolved }) => ({
      opened: opened.map(({ rule, kind }) => `${rule} ${kind}`),
      resolved: resolved.map(({ rule, kind }) => `${rule} ${kind}`).toSorted(),
    }));
  const OPENED = { opened: ['ill database-down'], resolved: [] };
  const RESOLVED = { opened: [], resolved: ['ill database-down'] };

  test('if no evaluation is possible, the process sends that itself, and its end', async () => {
    await startWorker();
    await withoutTable('tq_alert', () => received(1).then(() => undefined));
    await received(2);
    expect(changes()).toEqual([OPENED, RESOLVED]);
    expect(receiver().requests.map(({ isGenuine }) => isGenuine)).toEqual([true, true]);
    expect(await bench.finishedJobs()).toEqual([]);
  });

  test('if only the health cannot be read, that is an alert like others, and none of the others ends', async () => {
    await startWorker();
    await pauseMail();
    await received(1);
    await withoutTable('tq_subscription', () => received(2).then(() => undefined));
    await received(3);
    expect(changes()).toEqual([{ opened: ['paused paused-queues'], resolved: [] }, OPENED, RESOLVED]);
    await waitFor('they were sent by jobs', async () => (await bench.countFinished()) === 3);
  });

  test('if messages wait for too long, that is sent directly, and no further ones are stored before it ends', async () => {
    await bench.queue.control.pause('tablequeue.alerts');
    await startWorker();
    await pauseMail();
    await waitFor('a message waits', async () => (await bench.liveJobs()).length === 2);
    const message = (await bench.liveJobs()).find(({ name }) => name === '@alert')!;
    const move = await bench.queue.bulk.start({ action: 'move', ids: [message.id], to: 'work' });
    expect(await bench.queue.bulk.run(move.id)).toMatchObject({ changed: 0, skipped: 1 });
    bench.clock.advance('6m');
    // The receiver takes so long that the patience with the database would end meanwhile.
    const timers = jest.spyOn(globalThis, 'setTimeout');
    receiver().onRequest = () => {
      for (const [expire, time, value] of timers.mock.calls as readonly unknown[][]) {
        if (time === 15_000 && value === false) {
          (expire as (value: boolean) => void)(value);
        }
      }
    };
    await received(1);
    receiver().onRequest = () => undefined;
    timers.mockRestore();
    expect(receiver().messages[0]!.opened[0]).toMatchObject({
      severity: 'critical',
      message: 'Alerts have waited for 6 minutes in the queue tablequeue.alerts, which is paused.',
    });
    await waitFor('that is stored', async () => {
      return (await bench.dataSource.query('SELECT * FROM tq_alert WHERE opened_at IS NOT NULL')).length === 2;
    });

    await bench.queue.control.resume('mail');
    await evaluated(bench.dataSource);
    expect(await bench.liveJobs()).toHaveLength(2);
    await bench.queue.control.resume('tablequeue.alerts');
    await received(3);
    expect(changes()).toEqual([
      { opened: ['@alerts late-backlog'], resolved: [] },
      { opened: ['paused paused-queues'], resolved: [] },
      { opened: [], resolved: ['@alerts late-backlog', 'paused paused-queues'] },
    ]);
  });
});
