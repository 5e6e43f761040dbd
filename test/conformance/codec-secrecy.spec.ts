import { expect, test } from '@jest/globals';
import {
  type DurableJobContext,
  batchHandler,
  child,
  defineJob,
  defineSignal,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';

import { aes, columnsWith, queueWith } from '../support/codecs.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

/** A text in every value. JSON, errors and keys of the database do not change it. */
const SECRET = 'card-4111';
const retry = { attempts: 2, backoff: () => 0 };
const codec = aes('key');
const pay = defineJob<{ card: string }>('pay', { retry });
const write = defineJob<{ card: string }>('write', { retry });
const sync = defineJob<{ card: string }>('sync', { retry });
const part = defineJob<{ card: string }>('part', { retry });
const after = defineJob<{ card: string }>('after');
const unique = defineJob<{ card: string }>('unique', { unique: { while: 'queued', onConflict: 'replace' } });
const approve = defineSignal<{ card: string }>('approve');
const CARD = { card: SECRET };

describeEach('what is stored with a codec', (engine) => {
  const bench = useWorkbench(engine);

  const refuse = ({ failures, progress }: { failures: number; progress: (value: unknown) => void }) => {
    progress({ seen: SECRET });
    if (failures === 0) {
      throw Object.assign(new Error(`${SECRET} is refused`), { cause: new TypeError(`because of ${SECRET}`) });
    }
    return { paid: SECRET };
  };

  async function durable(job: DurableJobContext) {
    await job.checkpoint(SECRET);
    await job.step('charge', () => SECRET);
    await job.step('refused', ({ failures }) => (failures === 0 ? Promise.reject(new Error(SECRET)) : SECRET), {
      retry,
    });
    await job.step('loop', (step) => step.checkpoint(SECRET));
    await job.step('gone', () => Promise.reject(new Error(SECRET)), { retry: { attempts: 1 } }).catch(() => undefined);
    await job.runAll('parts', [child(part, CARD), child(part, CARD)], { outcomes: true });
    await job.waitForSignal(approve);
    return refuse(job);
  }

  async function runAll(queue: ReturnType<typeof queueWith>, look: () => Promise<void>): Promise<void> {
    const { id } = await queue.enqueue(pay, CARD, { key: 'order:42' });
    await queue.enqueue(write, CARD);
    await queue.enqueueMany(sync, [{ payload: CARD }, { payload: CARD }]);
    await queue.enqueue(unique, CARD);
    await queue.enqueue(unique, CARD);
    await queue.groups.enqueue({
      jobs: [{ definition: part, payload: CARD }],
      onComplete: { definition: after, payload: CARD },
    });
    await queue.recurring.set('monthly', after, CARD, { every: '1h' });
    await queue.signal(id, approve, CARD);
    await look();
    let calls = 0;
    await bench.work(
      [
        jobHandler(pay, (_payload, job) => durable(job)),
        transactionalHandler(write, (_payload, job) => refuse(job)),
        batchHandler(sync, (jobs) =>
          jobs.forEach((job) => (calls++ === 0 ? job.fail(new Error(SECRET)) : job.succeed(SECRET))),
        ),
        jobHandler(part, (_payload, job) => (job.failures === 0 ? refuse(job) : Promise.reject(new Error(SECRET)))),
        jobHandler(after, () => SECRET),
        jobHandler(unique, () => SECRET),
      ],
      { maintenance: { retrier: '20ms', reaper: '20ms' } },
      queue,
    );
    await waitFor('all have ended', async () => {
      await look();
      return bench.isEmpty();
    });
    // A signal that no wait takes.
    const { id: last } = await queue.enqueue(pay, CARD, { delay: '1h' });
    await queue.signal(last, approve, CARD);
    await look();
  }

  test('is nowhere readable: no column of any table has a part of it', async () => {
    const queue = queueWith(bench, codec);
    const found = new Set<string>();
    await runAll(queue, async () => (await columnsWith(bench, SECRET)).forEach((column) => found.add(column)));
    expect([...found]).toEqual([]);
    const paid = (await queue.findByKey('order:42'))[0]!;
    expect(paid).toMatchObject({ state: 'succeeded', failures: 1, payload: CARD, result: { paid: SECRET } });
  });

  test('without a codec it is found in each of these columns', async () => {
    const found = new Set<string>();
    await runAll(queueWith(bench, undefined), async () => {
      (await columnsWith(bench, SECRET)).forEach((column) => found.add(column));
    });
    expect([...found].sort()).toEqual([
      'tq_error.error',
      'tq_job.last_error',
      'tq_job.payload',
      'tq_job.progress',
      'tq_job.result',
      'tq_schedule.payload',
      'tq_signal.data',
      'tq_step.error',
      'tq_step.value',
    ]);
  });
});
