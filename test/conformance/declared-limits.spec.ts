import { expect, test } from '@jest/globals';
import { InvalidOptionError, type QueueLimits, UnknownOptionError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = jobHandler(defineJob('mail', { queue: 'mail' }), () => undefined);

describeEach('limits in the options of a worker', (engine) => {
  const bench = useWorkbench(engine);

  /** Starts and stops a worker, and returns the limits that are stored then. */
  const limitsAfter = async (limits?: QueueLimits) => {
    const worker = bench.worker([mail], { queues: { mail: limits === undefined ? {} : { limits } } });
    await worker.start();
    await worker.stop();
    return (await bench.queue.control.list())[0];
  };
  const NONE = { concurrency: undefined, concurrencyPerTenant: undefined, rate: undefined, ratePerTenant: undefined };

  test('they are stored at the start', async () => {
    const limits = { concurrency: 2, rate: { jobs: 5, per: '1h' }, maxLength: 70 } as const;
    expect(await limitsAfter(limits)).toMatchObject({
      queue: 'mail',
      ...NONE,
      concurrency: 2,
      rate: { jobs: 5, per: 3_600_000, burst: 1 },
      maxLength: 70,
    });
    expect(await limitsAfter({ ratePerTenant: { jobs: 1, per: '1m', burst: 3 } })).toMatchObject({
      ...NONE,
      ratePerTenant: { jobs: 1, per: 60_000, burst: 3 },
      maxLength: undefined,
    });
  });

  test('they hold from the first claim', async () => {
    const held = defineJob('held', { queue: 'held' });
    await bench.queue.enqueueMany(
      held,
      Array.from({ length: 5 }, () => ({ payload: undefined })),
    );
    let release = (): void => undefined;
    const handler = jobHandler(held, () => new Promise<void>((resolve) => (release = resolve)));
    const worker = bench.worker([handler], { queues: { held: { limits: { concurrency: 1 } } }, shutdownTimeout: 0 });
    await worker.start();
    await waitFor('one runs', () => worker.activeJobs > 0);
    expect(worker.activeJobs).toBe(1);
    expect((await bench.liveJobs()).filter(({ state }) => state === 'running')).toHaveLength(1);
    release();
    await worker.stop();
  });

  test('a limit of control stays until the code has other limits', async () => {
    expect(await limitsAfter({ concurrency: 2 })).toMatchObject({ concurrency: 2 });
    await bench.queue.control.limit('mail', { concurrency: 9 });
    expect(await limitsAfter({ concurrency: 2 })).toMatchObject({ concurrency: 9 });
    expect(await limitsAfter()).toMatchObject({ concurrency: 9 });
    expect(await limitsAfter({ concurrency: 3 })).toMatchObject({ concurrency: 3 });
    expect(await limitsAfter()).toMatchObject({ concurrency: 3 });
    expect(await limitsAfter({})).toMatchObject(NONE);
  });

  test('a pause stays, and workers that start at once store one of them', async () => {
    await bench.queue.control.pause('mail');
    const workers = Array.from({ length: 6 }, () =>
      bench.worker([mail], { queues: { other: { limits: { concurrency: 4 } }, mail: { limits: { concurrency: 5 } } } }),
    );
    await Promise.all(workers.map((worker) => worker.start()));
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(await bench.queue.control.list()).toMatchObject([
      { queue: 'mail', pausedAt: expect.any(Date), concurrency: 5 },
      { queue: 'other', pausedAt: undefined, concurrency: 4 },
    ]);
  });

  test('wrong limits are refused by name', () => {
    const start = (limits: unknown) => () =>
      bench.worker([mail], { queues: { mail: { limits: limits as QueueLimits } } });
    expect(start({ concurrency: 0 })).toThrow(InvalidOptionError);
    expect(start({ concurrency: 0 })).toThrow(/"queues.mail.limits.concurrency" is 0/);
    expect(start({ rate: { jobs: 0, per: '1s' } })).toThrow(/"queues.mail.limits.rate.jobs" is 0/);
    expect(start({ weight: 3 })).toThrow(UnknownOptionError);
  });
});
