import { expect, test } from '@jest/globals';
import { InvalidOptionError, child, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { stepRows } from '../support/restarting.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const chain = defineJob('chain', { retry: { attempts: 1 } });
const single = defineJob<string>('single', {
  unique: { key: () => 'one', while: 'unfinished', onConflict: 'replace' },
});
/** In a queue without a worker. */
const slow = defineJob('slow', { queue: 'slow' });

describeEach('retries of durable jobs', (engine) => {
  const bench = useWorkbench(engine);

  async function failedJob() {
    const calls: string[] = [];
    await bench.work([
      jobHandler(chain, async (_payload, { step, sleep }) => {
        await step('first', () => calls.push('first'));
        await step('second', () => calls.push('second'));
        await sleep(0);
        await step('third', () => {
          calls.push('third');
          if (calls.filter((call) => call === 'third').length === 1) {
            throw new Error('once');
          }
        });
      }),
    ]);
    const { id } = await bench.queue.enqueue(chain);
    await bench.untilJobIs(id, 'failed');
    return { id, calls };
  }

  test('a retry runs the failed step again, and no other', async () => {
    const { id, calls } = await failedJob();
    expect(await bench.queue.failed.retry(id)).toBe(true);
    await bench.untilJobIs(id, 'succeeded');
    expect(calls).toEqual(['first', 'second', 'third', 'third']);
  });

  test('a retry from a step runs that and all that were stored after it again', async () => {
    const { id, calls } = await failedJob();
    await expect(bench.queue.failed.retry(id, { from: 'no such step' })).rejects.toThrow(InvalidOptionError);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'failed' });
    expect(await bench.queue.failed.retry(id, { from: 'second' })).toBe(true);
    await bench.untilJobIs(id, 'succeeded');
    expect(calls).toEqual(['first', 'second', 'third', 'second', 'third']);
  });

  test('a signal that no wait has taken does not reach the retried job', async () => {
    const { id } = await failedJob();
    expect(await bench.queue.signal(id, 'late')).toBeUndefined();
    await bench.dataSource.query(
      "INSERT INTO tq_signal (job_id, name, sent_at, id) SELECT id, 'late', 1, id FROM tq_job WHERE name = 'chain'",
    );
    await bench.queue.failed.retry(id);
    expect(await bench.dataSource.query('SELECT 1 FROM tq_signal')).toEqual([]);
  });

  test('signals and children of a replaced job do not reach its new payload', async () => {
    const worker = await bench.work([
      jobHandler(single, async (text, job) => {
        if (text === 'a') {
          await Promise.all([job.run('slow', child(slow, undefined)), job.waitForSignal('never')]);
        }
        return (await job.waitForSignal<string>('approved')).data;
      }),
    ]);
    const { id } = await bench.queue.enqueue(single, 'a');
    await bench.untilJobIs(id, 'waiting');
    const { id: childId } = await waitFor('the child is there', async () => {
      return (await bench.liveJobs()).find(({ name }) => name === 'slow');
    });
    expect(await bench.queue.signal(id, 'approved', 'a')).toBe('sent');
    expect(await bench.queue.enqueue(single, 'b')).toMatchObject({ id, replaced: true });
    await bench.untilJobIs(id, 'waiting');
    await worker.reaper.runOnce();
    await bench.untilJobIs(childId, 'cancelled');
    expect(await bench.queue.signal(id, 'approved', 'b')).toBe('sent');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: 'b' });
  });

  test('a signal to a job that has not started does not reach the payload that replaces it', async () => {
    const { id } = await bench.queue.enqueue(single, 'a');
    expect(await bench.queue.signal(id, 'approved', 'a')).toBe('sent');
    expect(await bench.queue.enqueue(single, 'b')).toMatchObject({ id, replaced: true });
    expect(await bench.dataSource.query('SELECT 1 FROM tq_signal')).toEqual([]);
  });

  test('a job that is replaced while it waits starts again, with its new payload', async () => {
    const calls: string[] = [];
    await bench.work([
      jobHandler(single, async (text, { step, sleep }) => {
        calls.push(await step('read', () => text));
        if (text === 'a') {
          await sleep('1h');
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(single, 'a');
    await bench.untilJobIs(id, 'scheduled');
    expect(await bench.queue.enqueue(single, 'b')).toMatchObject({ id });
    await bench.untilJobIs(id, 'succeeded');
    expect(calls).toEqual(['a', 'b']);
    expect(await stepRows(bench.queue)).toEqual(['step read done']);
  });
});
