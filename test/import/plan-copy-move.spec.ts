import { expect, test } from '@jest/globals';
import { TableQueueJob, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { importAsJson, runImport } from './import-command.js';
import { type Release, useBullRedis } from './peers.js';

const RELEASES: readonly Release[] = ['bull', 'bullmq4', 'bullmq5', 'bullmq'];

describeEach('import --from bullmq', (engine) => {
  const bull = useBullRedis();
  const bench = useWorkbench(engine, { isolation: 'database' });

  const imported = (...args: string[]) => importAsJson(bull, bench.database, args);
  const jobs = (queue = 'mail') => bench.dataSource.getRepository(TableQueueJob).findBy({ queue });

  /** A queue with jobs in all states that all releases have. */
  async function fill(release: Release): Promise<void> {
    const mail = bull.queue(release, 'mail');
    await mail.pause();
    for (const number of [1, 2, 3]) {
      await mail.add('send', { number });
    }
    await mail.add('send', { number: 4 }, { jobId: 'order:4:x', attempts: 3 });
    await mail.add('send', { number: 5 }, { delay: 3_600_000 });
    await mail.add('send', { number: 6 }, { priority: 7 });
    await mail.add('send', { number: 7 }, { priority: 2 });
  }

  test.each(RELEASES)('%s: the plan changes nothing, a copy leaves Redis as it was, and runs once', async (release) => {
    await fill(release);
    const before = await bull.picture();
    const plan = await imported();
    expect(plan.refusals).toEqual([]);
    const states =
      release === 'bull'
        ? { waiting: expect.objectContaining({ found: 6, maps: 6 }), delayed: expect.objectContaining({ maps: 1 }) }
        : {
            waiting: expect.objectContaining({ found: 4, maps: 4 }),
            delayed: expect.objectContaining({ maps: 1 }),
            prioritized: expect.objectContaining({ maps: 2 }),
          };
    expect(plan.counts).toEqual([{ queue: 'mail', states }]);
    expect(await jobs()).toEqual([]);
    await imported('--copy');
    expect(await jobs()).toHaveLength(7);
    const second = await imported('--copy');
    expect(second.counts[0]?.states['waiting']).toMatchObject({ maps: 0, stays: 0 });
    expect(await jobs()).toHaveLength(7);
    expect(await bull.picture()).toEqual(before);
    expect(await bench.queue.findByKey('order:4:x')).toMatchObject([{ name: 'send', payload: { number: 4 } }]);
  });

  test.each(RELEASES)('%s: a move takes the jobs out of Redis, in their order', async (release) => {
    await fill(release);
    await imported('--move');
    expect(await jobs()).toHaveLength(7);
    const left = await bull.redis.keys('bull:mail:*');
    expect(left.filter((key) => /wait$|paused$|delayed$|prioritized$|import|:\d+$|order/.test(key))).toEqual(
      release === 'bull' ? ['bull:mail:meta-paused'] : [],
    );
    const order: number[] = [];
    const send = defineJob<{ number: number }>('send', { queue: 'mail' });
    await bench.work([jobHandler(send, ({ number }) => void order.push(number))], {
      queues: { mail: { concurrency: 1 } },
    });
    await waitFor('all that are due have run', () => Promise.resolve(order.length === 6));
    expect(order).toEqual(release === 'bull' ? [7, 6, 1, 2, 3, 4] : [1, 2, 3, 4, 7, 6]);
  });

  test('while another import runs, only the plan is printed', async () => {
    await fill('bullmq');
    await using other = bench.queue.lock('tablequeue:import');
    await other.acquire();
    const refused = await runImport(bull, bench.database, ['--copy']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('Another import into this database') });
    await imported();
    await other.release();
    await imported('--copy');
    expect(await jobs()).toHaveLength(7);
  });
});
