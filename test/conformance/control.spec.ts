import { expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  type QueueLimits,
  UnknownOptionError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import { TableQueueQueueRow } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });
const bill = defineJob('bill', { queue: 'bill' });

describeEach('pausing and limiting', (engine) => {
  const bench = useWorkbench(engine);

  const enqueue = (count: number) =>
    bench.queue.enqueueMany(
      mail,
      Array.from({ length: count }, () => ({})),
    );

  test('no job is claimed from a paused queue until it is resumed; other queues continue', async () => {
    await bench.queue.control.pause('mail');
    const mails: string[] = [];
    const bills: string[] = [];
    await bench.work([
      jobHandler(mail, (_payload, { id }) => void mails.push(id)),
      jobHandler(bill, (_payload, { id }) => void bills.push(id)),
    ]);
    await enqueue(3);
    for (let round = 0; round < 5; round++) {
      const { id } = await bench.queue.enqueue(bill);
      await bench.untilJobIs(id, 'succeeded');
    }
    expect([mails.length, bills.length]).toEqual([0, 5]);
    await bench.queue.control.resume('mail');
    await waitFor('all are run', () => mails.length === 3);
  });

  test('a worker that has claimed ahead stops running jobs of a paused queue', async () => {
    await enqueue(2_000);
    const { runs, handler } = heldHandler(mail);
    await bench.work([handler, jobHandler(bill, () => undefined)], { concurrency: 1, pollInterval: '1h' });
    await waitFor('it works', () => runs.length === 1);
    await bench.queue.control.pause('mail');
    const [before] = await bench.rows(TableQueueQueueRow);
    const stillRuns = async () => {
      const { length } = runs;
      runs.at(-1)!.end();
      const { id } = await bench.queue.enqueue(bill);
      await bench.untilJobIs(id, 'succeeded');
      return runs.length > length;
    };
    await waitFor('it stops', async () => !(await stillRuns()) && !(await stillRuns()) && !(await stillRuns()));
    expect(await bench.queue.counts()).toMatchObject([{ queue: 'mail', running: { count: 0 } }]);
    expect(runs.length).toBeLessThan(2_000);
    await bench.queue.control.pause('mail');
    expect(await bench.rows(TableQueueQueueRow)).toEqual([before]);
  });

  test('no more jobs of a queue run at a time than its limit, over all workers', async () => {
    await bench.queue.control.limit('mail', { concurrency: 3 });
    await enqueue(40);
    let most = 0;
    let done = 0;
    const handler = jobHandler(mail, async () => {
      const running = "SELECT COUNT(*) AS jobs FROM tq_job WHERE queue = 'mail' AND state = 'running'";
      const [row] = (await bench.dataSource.query(running)) as { jobs: string }[];
      most = Math.max(most, Number(row?.jobs));
      done++;
    });
    await Promise.all(Array.from({ length: 4 }, () => bench.work([handler], { concurrency: 10 })));
    await waitFor('all are run', () => done === 40);
    expect(most).toBe(3);
  });

  test('a limit that is lifted lets the others run', async () => {
    await bench.queue.control.limit('mail', { concurrency: 1 });
    await enqueue(5);
    const { runs, handler } = heldHandler(mail);
    await bench.work([handler]);
    await waitFor('the first runs', () => runs.length === 1);
    await bench.queue.control.limit('mail', {});
    await waitFor('all run', () => runs.length === 5);
    runs.forEach(({ end }) => end());
  });

  test('a lifted rate limit delays no job until its window is over', async () => {
    await bench.queue.control.limit('mail', { rate: { jobs: 1, per: '1h' } });
    await enqueue(3);
    let done = 0;
    await bench.work([jobHandler(mail, () => void done++)]);
    await waitFor('the window is used up', () => done === 1);
    await bench.queue.control.limit('mail', {});
    await waitFor('the others run', () => done === 3);
  });

  test('pauses and limits are read back as they were set', async () => {
    expect(await bench.queue.control.list()).toEqual([]);
    await bench.queue.control.pause('mail');
    await bench.queue.control.limit('bill', {
      concurrency: 2,
      concurrencyPerTenant: 1,
      rate: { jobs: 100, per: '1m' },
      ratePerTenant: { jobs: 1_000, per: '1s' },
      maxLength: 5_000,
    });
    expect(await bench.queue.control.list()).toEqual([
      {
        queue: 'bill',
        pausedAt: undefined,
        concurrency: 2,
        concurrencyPerTenant: 1,
        rate: { jobs: 100, per: 60_000, burst: 1 },
        ratePerTenant: { jobs: 1_000, per: 1_000, burst: 101 },
        maxLength: 5_000,
      },
      {
        queue: 'mail',
        pausedAt: expect.any(Date),
        concurrency: undefined,
        concurrencyPerTenant: undefined,
        rate: undefined,
        ratePerTenant: undefined,
        maxLength: undefined,
      },
    ]);
    await bench.queue.control.limit('bill', { ratePerTenant: { jobs: 1, per: '1d', burst: 7 } });
    expect((await bench.queue.control.list())[0]).toMatchObject({
      rate: undefined,
      ratePerTenant: { jobs: 1, per: 86_400_000, burst: 7 },
    });
  });

  test('bad input is refused by name', async () => {
    const { control } = bench.queue;
    await expect(control.pause('no queue')).rejects.toThrow(InvalidNameError);
    await expect(control.resume('')).rejects.toThrow(InvalidNameError);
    const limit = (limits: unknown) => control.limit('mail', limits as QueueLimits);
    await expect(limit({ concurrency: 0 })).rejects.toThrow(/"concurrency" is 0.*from 1 to 10000/);
    await expect(limit({ concurrencyPerTenant: 0 })).rejects.toThrow(/"concurrencyPerTenant" is 0.*from 1 to 10000/);
    await expect(limit({ maxLength: 0 })).rejects.toThrow(/"maxLength" is 0.*from 1 to 1000000/);
    await expect(limit({ rate: { jobs: 1.5, per: '1s' } })).rejects.toThrow(/"rate.jobs" is 1.5/);
    await expect(limit({ rate: { jobs: 1, per: 0 } })).rejects.toThrow(/"rate.per" is 0/);
    await expect(limit({ rate: { jobs: 1, per: '1s', each: 2 } })).rejects.toThrow(UnknownOptionError);
    await expect(limit({ ratePerTenant: { jobs: 0, per: '1s' } })).rejects.toThrow(/"ratePerTenant.jobs" is 0/);
    await expect(limit({ rate: { jobs: 1, per: '1s', burst: 0 } })).rejects.toThrow(/"rate.burst" is 0/);
    await expect(limit({ rate: { jobs: 1, per: '365d', burst: 11 } })).rejects.toThrow(
      /"rate.burst" is 11.*from 1 to 10/,
    );
    await expect(limit({ weight: 2 })).rejects.toThrow(UnknownOptionError);
    await expect(bench.queue.cancelMany({ queue: 'mail', state: 'ready' } as never)).rejects.toThrow(
      UnknownOptionError,
    );
    await expect(bench.queue.cancelMany({ queue: 'mail', only: 'mail' as never })).rejects.toThrow(InvalidOptionError);
  });
});
