import { expect, test } from '@jest/globals';
import { InvalidOptionError, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueKey } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob<number>('mail', { queue: 'mail' });
const slow = defineJob<number>('slow', { queue: 'slow' });

describeEach('counting and pruning', (engine) => {
  const bench = useWorkbench(engine);

  test('live jobs are counted by queue and state, up to a limit', async () => {
    expect(await bench.queue.counts()).toEqual([]);
    await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 12 }, (_, payload) => ({ payload, ...(payload < 5 && { delay: '1h' }) })),
    );
    await bench.queue.enqueue(slow, 1);
    await bench.dataSource.query("UPDATE tq_job SET state = 'running', owner = 7, lane = 7 WHERE queue = 'slow'");
    await bench.queue.enqueue(slow, 2);
    const none = { count: 0, isCapped: false };
    const one = { count: 1, isCapped: false };
    expect(await bench.queue.counts(5)).toEqual([
      {
        queue: 'mail',
        waiting: none,
        scheduled: { count: 5, isCapped: false },
        ready: { count: 5, isCapped: true },
        running: none,
      },
      { queue: 'slow', waiting: none, scheduled: none, ready: one, running: one },
    ]);
    await expect(bench.queue.counts(0)).rejects.toThrow(InvalidOptionError);
  });

  test('finished jobs of an age are deleted, with their keys, however many; others stay', async () => {
    await bench.work([jobHandler(mail, () => undefined)], { concurrency: 100 });
    const late = await bench.queue.enqueue(mail, 0, { delay: '1h', key: 'late' });
    const old = await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 900 }, (_, payload) => ({ payload, ...(payload % 2 && { key: `order:${payload}` }) })),
    );
    await bench.untilJobIs(old.at(-1)!.id, 'succeeded');
    expect(await bench.queue.prune('30m')).toBe(0);
    bench.clock.advance('1h');
    // Created before the others, and finished after them.
    await bench.untilJobIs(late.id, 'succeeded');
    const { id: scheduled } = await bench.queue.enqueue(mail, 1, { delay: '1h', key: 'waits' });
    expect(await bench.queue.prune('30m')).toBe(900);
    expect((await bench.finishedJobs()).map(({ key }) => key)).toEqual(['late']);
    expect((await bench.rows(TableQueueKey)).map(({ key }) => key).sort()).toEqual(['late', 'waits']);
    expect(await bench.queue.find(scheduled)).toMatchObject({ state: 'scheduled' });
    expect(await bench.queue.prune('30m')).toBe(0);
  });
});
