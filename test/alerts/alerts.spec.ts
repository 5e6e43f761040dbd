import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type AlertOptions, TableQueue, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { evaluated } from './evaluated.js';

const mail = defineJob('mail', { queue: 'mail' });
const work = defineJob('work', { queue: 'work' });

describeEach('alerts', (engine) => {
  const bench = useWorkbench(engine);
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(() => void receiver.requests.splice(0));
  afterAll(() => receiver.stop());

  const optionsOf = (options: Partial<AlertOptions> = {}): AlertOptions => ({
    webhooks: { team: { url: receiver.url, secret: WebhookReceiver.secret } },
    rules: { paused: { kinds: ['paused-queues'] } },
    interval: '100ms',
    ...options,
  });
  const startWorker = (options?: Partial<AlertOptions>, queue?: TableQueue) =>
    bench.work([jobHandler(work, () => undefined)], { alerts: optionsOf(options) }, queue);
  const pause = async () => {
    await bench.queue.control.pause('mail');
    await bench.queue.enqueue(mail);
  };
  const received = (count: number) =>
    waitFor(`${count} messages`, () => Promise.resolve(receiver.requests.length >= count));

  test('three workers send a problem once, and its end once, signed', async () => {
    for (let count = 0; count < 3; count++) {
      await startWorker({}, new TableQueue(bench.dataSource, { clock: bench.clock }));
    }
    await pause();
    await received(1);
    await evaluated(bench.dataSource);
    await bench.queue.control.resume('mail');
    await received(2);
    await evaluated(bench.dataSource);
    expect(receiver.requests.map(({ isGenuine }) => isGenuine)).toEqual([true, true]);
    const [opened, resolved] = receiver.messages;
    expect(opened).toMatchObject({
      opened: [{ rule: 'paused', kind: 'paused-queues', severity: 'notice', count: 1, examples: ['mail'] }],
      resolved: [],
      leftOut: 0,
      pausedUntil: null,
    });
    expect(resolved).toMatchObject({ opened: [], resolved: [{ rule: 'paused', kind: 'paused-queues' }] });
    expect(JSON.stringify(await bench.finishedJobs())).not.toContain('of-a-team');
  });

  test('a receiver that answers 500 gets the same message again', async () => {
    receiver.answers.push(500);
    await startWorker();
    await pause();
    await received(1);
    await waitFor('the job is retried', async () => {
      bench.clock.advance('10s');
      return receiver.requests.length === 2;
    });
    const [first, second] = receiver.requests;
    expect(second?.id).toBe(first?.id);
    expect(receiver.messages[1]).toEqual(receiver.messages[0]);
  });

  test('a problem must last as long as its rule demands, also if the leader changes', async () => {
    const rules: AlertOptions['rules'] = { paused: { kinds: ['paused-queues'], queues: ['mail'], for: '10m' } };
    await startWorker({ rules });
    await pause();
    await waitFor('it is found', async () => (await bench.dataSource.query('SELECT * FROM tq_alert')).length === 2);
    await evaluated(bench.dataSource);
    await bench.stopWorkers();
    expect(receiver.requests).toEqual([]);
    bench.clock.advance('11m');
    await startWorker({ rules });
    await received(1);
    expect(receiver.messages[0]?.opened).toHaveLength(1);
  });

  test('too many messages are held back, and the next one counts those that are left out', async () => {
    await startWorker({ maxMessages: 1 });
    await pause();
    await received(1);
    expect(receiver.messages[0]?.pausedUntil).toEqual(expect.any(String));
    await bench.queue.control.resume('mail');
    await evaluated(bench.dataSource);
    expect(receiver.requests).toHaveLength(1);
    bench.clock.advance('61m');
    await received(2);
    expect(receiver.messages[1]).toMatchObject({ opened: [], resolved: [{ kind: 'paused-queues' }] });

    await bench.queue.control.pause('mail');
    await waitFor('it is held', async () => {
      return (await bench.dataSource.query('SELECT * FROM tq_alert WHERE is_held = 1')).length === 1;
    });
    await bench.queue.control.resume('mail');
    await evaluated(bench.dataSource);
    bench.clock.advance('61m');
    await received(3);
    expect(receiver.messages[2]).toMatchObject({ opened: [], resolved: [], leftOut: 1 });
  });

  test('Slack gets a text, in which names are no markup', async () => {
    await startWorker({ webhooks: { slack: { url: receiver.url, format: 'slack' } } });
    await pause();
    await received(1);
    const { text } = JSON.parse(receiver.requests[0]!.body) as { readonly text: string };
    expect(text.replace(/\d{4}-\S+Z/, 'TIME')).toBe(
      '*notice* since TIME: Jobs wait in 1 paused queue: mail. Resume the queues when the reason for the pause is gone.',
    );
  });
});
