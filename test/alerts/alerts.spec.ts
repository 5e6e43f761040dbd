import { expect, test } from '@jest/globals';
import { type AlertOptions, TableQueue, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { evaluated } from './evaluated.js';
import { useReceiver } from './use-receiver.js';

const mail = defineJob('mail', { queue: 'mail' });
const work = defineJob('work', { queue: 'work' });
const paused = defineJob('paused', { queue: 'paused' });

describeEach('alerts', (engine) => {
  const bench = useWorkbench(engine);
  const receiver = useReceiver();

  const optionsOf = (options: Partial<AlertOptions> = {}): AlertOptions => ({
    webhooks: { team: { url: receiver().url, secret: WebhookReceiver.secret } },
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
    waitFor(`${count} messages`, () => Promise.resolve(receiver().requests.length >= count));

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
    expect(receiver().requests.map(({ isGenuine }) => isGenuine)).toEqual([true, true]);
    const [opened, resolved] = receiver().messages;
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
    receiver().answers.push(500);
    await startWorker();
    await pause();
    await received(1);
    await waitFor('the job is retried', async () => {
      bench.clock.advance('10s');
      return receiver().requests.length === 2;
    });
    const [first, second] = receiver().requests;
    expect(second?.id).toBe(first?.id);
    expect(receiver().messages[1]).toEqual(receiver().messages[0]);
  });

  test('a message that is retried hours later is not sent', async () => {
    receiver().answers.push(...Array.from({ length: 20 }, () => 500));
    await startWorker();
    await pause();
    await received(1);
    const message = (await bench.liveJobs()).find(({ queue }) => queue === 'tablequeue.alerts')!;
    await bench.queue.cancel(message.id);
    await bench.untilJobIs(message.id, 'cancelled');
    receiver().answers.splice(0);
    const sent = receiver().requests.length;
    await bench.queue.jobs.retry(message.id);
    await received(sent + 1);
    await bench.untilJobIs(message.id, 'succeeded');

    bench.clock.advance('121m');
    const copy = await bench.queue.manual.copy(message.id);
    const { error } = await bench.untilJobIs(copy, 'failed');
    expect(error).toMatch(/UnrecoverableJobError: The alert was found at .*Delete the job/);
    expect(receiver().requests).toHaveLength(sent + 1);
  });

  test('a quiet worker sends alerts, runs no other job, and cancels those that run', async () => {
    const { runs, handler } = heldHandler(work);
    const drained: string[] = [];
    const { runs: pausedRuns, handler: pausedHandler } = heldHandler(paused);
    await bench.queue.control.pause('paused');
    const rules: AlertOptions['rules'] = { paused: { kinds: ['paused-queues'], queues: ['mail'] } };
    const worker = await bench.work([handler, pausedHandler], { alerts: optionsOf({ rules }) });
    worker.events.on('drained', (name) => drained.push(name));
    const { queues } = worker['claimer'] as unknown as { queues: readonly { name: string; mode: string }[] };
    await waitFor('the pause is read', () => queues.some(({ name, mode }) => name === 'paused' && mode === 'paused'));
    await bench.queue.enqueue(paused);
    const running = await bench.queue.enqueue(work);
    await waitFor('it runs', () => runs.length === 1);
    await bench.queue.control.quietWorker(worker['liveness'].lease.owner);
    worker['liveness'].lease.onLockChanged();
    await waitFor('it is quiet', () => worker.isQuiet);

    const waiting = await bench.queue.enqueue(work);
    await pause();
    await received(1);
    await waitFor('the message has succeeded', async () => (await bench.countFinished()) === 1);
    await waitFor('only the held job runs', () => worker.activeJobs === 1);
    await bench.queue.cancel(running.id);
    await waitFor('it is aborted', () => runs[0]!.job.signal.aborted);
    runs[0]!.fail(new Error('aborted'));
    await bench.untilJobIs(running.id, 'cancelled');
    await evaluated(bench.dataSource);
    expect(runs).toHaveLength(1);

    await bench.queue.control.resumeWorker(worker['liveness'].lease.owner);
    worker['liveness'].lease.onLockChanged();
    await waitFor('the other job runs', () => runs.length === 2);
    expect(drained).not.toContain('work');
    // Polls for alerts have not changed what is known of other queues.
    expect(pausedRuns.map(({ job }) => job.id)).toEqual([]);
    runs[1]!.end();
    await bench.untilJobIs(waiting.id, 'succeeded');
    await waitFor('the queue is drained', () => drained.includes('work'));
  });

  test('a problem must last as long as its rule demands, also if the leader changes', async () => {
    const rules: AlertOptions['rules'] = { paused: { kinds: ['paused-queues'], queues: ['mail'], for: '10m' } };
    await startWorker({ rules });
    await pause();
    await waitFor('it is found', async () => (await bench.dataSource.query('SELECT * FROM tq_alert')).length === 2);
    await evaluated(bench.dataSource);
    await bench.stopWorkers();
    expect(receiver().requests).toEqual([]);
    bench.clock.advance('11m');
    await startWorker({ rules });
    await received(1);
    expect(receiver().messages[0]?.opened).toHaveLength(1);
  });

  test('too many messages are held back, and the next one counts those that are left out', async () => {
    await startWorker({ maxMessages: 1 });
    await pause();
    await received(1);
    expect(receiver().messages[0]?.pausedUntil).toEqual(expect.any(String));
    await bench.queue.control.resume('mail');
    await evaluated(bench.dataSource);
    expect(receiver().requests).toHaveLength(1);
    bench.clock.advance('61m');
    await received(2);
    expect(receiver().messages[1]).toMatchObject({ opened: [], resolved: [{ kind: 'paused-queues' }] });

    await bench.queue.control.pause('mail');
    await waitFor('it is held', async () => {
      return (await bench.dataSource.query('SELECT * FROM tq_alert WHERE is_held = 1')).length === 1;
    });
    await bench.queue.control.resume('mail');
    await evaluated(bench.dataSource);
    bench.clock.advance('61m');
    await received(3);
    expect(receiver().messages[2]).toMatchObject({ opened: [], resolved: [], leftOut: 1 });
  });

  test('Slack gets a text, in which names are no markup', async () => {
    await startWorker({ webhooks: { slack: { url: receiver().url, format: 'slack' } } });
    await pause();
    await received(1);
    const { text } = JSON.parse(receiver().requests[0]!.body) as { readonly text: string };
    expect(text.replace(/\d{4}-\S+Z/, 'TIME')).toBe(
      '*notice* since TIME: Jobs wait in 1 paused queue: mail. Resume the queues when the reason for the pause is gone.',
    );
  });
});
