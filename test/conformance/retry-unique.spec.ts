import { expect, test } from '@jest/globals';
import {
  DuplicateJobError,
  TableQueue,
  UnrecoverableJobError,
  type UniqueOptions,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import { TestingClock } from '@tablequeue/typeorm/testing';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const job = defineJob<number>('job', { retry: { attempts: 1 } });
const unique = { key: 'k' } as const;
const HOUR = 3_600_000;

describeEach('the unique key of a job that is retried', (engine) => {
  const bench = useWorkbench(engine);

  /** Enqueues jobs, each after the one before has failed. */
  async function failedJobs(count: number, options: UniqueOptions = unique, queue: TableQueue = bench.queue) {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      const { id, created } = await queue.enqueue(job, index, { unique: options });
      expect(created).toBe(true);
      await bench.work([
        jobHandler(job, () => {
          throw new UnrecoverableJobError('no');
        }),
      ]);
      await bench.untilJobIs(id, 'failed');
      await bench.stopWorkers();
      ids.push(id);
    }
    return ids;
  }

  const failedJob = async (options?: UniqueOptions) => (await failedJobs(1, options))[0] as string;
  const stateOf = async (id: string) => (await bench.queue.find(id))?.state;

  test('is taken again, and freed when the job has finished', async () => {
    const id = await failedJob();
    expect(await bench.queue.failed.retry(id)).toBe(true);
    expect(await bench.queue.enqueue(job, 2, { unique })).toEqual({ id, created: false, replaced: false });
    await bench.work([jobHandler(job, () => undefined)]);
    await bench.untilJobIs(id, 'succeeded');
    await bench.stopWorkers();
    expect(await bench.queue.enqueue(job, 3, { unique })).toMatchObject({ created: true });
  });

  test('is taken again by a job that was cancelled', async () => {
    const { id } = await bench.queue.enqueue(job, 1, { unique });
    await bench.queue.cancel(id);
    await bench.queue.failed.retry(id);
    expect(await bench.queue.enqueue(job, 2, { unique })).toMatchObject({ id, created: false });
  });

  test('that another job has is refused with the id of that job', async () => {
    const id = await failedJob();
    const { id: holder } = await bench.queue.enqueue(job, 2, { unique });
    const error = await bench.queue.failed.retry(id).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DuplicateJobError);
    expect(error).toMatchObject({ id: holder, key: 'k', jobName: 'job' });
    const result = await bench.queue.jobs.retry(id);
    expect(result).toMatchObject({ changed: 0, skipped: 1, conflict: { id: holder } });
    await bench.dataSource.transaction(async (manager) => {
      await expect(bench.queue.failed.retry(id, { manager })).rejects.toThrow(DuplicateJobError);
      await bench.queue.enqueue(job, 3, { manager });
    });
    expect(await stateOf(id)).toBe('failed');
    expect(await bench.liveJobs()).toHaveLength(2);
    await bench.queue.cancel(holder);
    expect(await bench.queue.failed.retry(id)).toBe(true);
  });

  test('is free again after a rollback', async () => {
    const id = await failedJob();
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      expect(await bench.queue.failed.retry(id, { manager })).toBe(true);
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await stateOf(id)).toBe('failed');
    expect(await bench.queue.enqueue(job, 2, { unique })).toMatchObject({ created: true });
  });

  test('decides for each of many jobs, and those that stay failed are counted', async () => {
    const same = await failedJobs(3);
    const [taken] = await failedJobs(1, { key: 'taken' });
    const free = await failedJob({ key: 'free' });
    await bench.queue.enqueue(job, 2, { unique: { key: 'taken' } });
    expect(await bench.queue.failed.retryMany({})).toEqual({ retried: 2, conflicts: 3 });
    expect(await stateOf(free)).toBe('ready');
    const states = await Promise.all([...same, taken as string].map(stateOf));
    expect(states.filter((state) => state === 'failed')).toHaveLength(3);
    expect(states.filter((state) => state === 'ready')).toHaveLength(1);
    expect(await bench.queue.failed.count()).toBe(3);
  });

  test('that lasted until the claim, or for a period only, is not taken again', async () => {
    for (const options of [
      { key: 'q', while: 'queued' },
      { key: 'p', period: '1ms' },
    ] as const) {
      const id = await failedJob(options);
      await bench.queue.failed.retry(id);
      expect(await bench.queue.enqueue(job, 2, { unique: options })).toMatchObject({ created: true });
    }
  });

  test('is taken over from its own period, and lasts longer than that', async () => {
    const clock = new TestingClock();
    const queue = new TableQueue(bench.dataSource, { clock });
    const options = { key: 'k', while: 'unfinished', period: '1h' } as const;
    const id = await failedJob(options);
    expect(await queue.enqueue(job, 2, { unique: options })).toMatchObject({ created: false });
    expect(await queue.failed.retry(id)).toBe(true);
    clock.advance(2 * HOUR);
    expect(await queue.enqueue(job, 2, { unique: options })).toMatchObject({ id, created: false });
  });

  test('belongs to one of many concurrent retries and enqueues', async () => {
    for (let round = 0; round < 10; round++) {
      const failed = await failedJobs(2);
      const results = await Promise.allSettled<unknown>([
        ...failed.map((id) => bench.queue.failed.retry(id)),
        bench.queue.enqueue(job, 9, { unique }),
        bench.queue.jobs.retry(failed),
        bench.queue.failed.retryMany({}),
        bench.queue.enqueue(job, 9, { unique }),
      ]);
      const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      expect(errors.filter((error) => !(error instanceof DuplicateJobError))).toEqual([]);
      expect(await bench.liveJobs()).toHaveLength(1);
      const states = await Promise.all(failed.map(stateOf));
      expect(states.every((state) => state === 'failed' || state === 'ready')).toBe(true);
      await bench.reset();
    }
  });
});
