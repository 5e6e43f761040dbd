import { expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  TableQueue,
  UnknownOptionError,
  defineJob,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';
import { TableQueueCancellation, TableQueueUnique } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const call = defineJob('call', { queue: 'partner', retry: { attempts: 2, backoff: fixed(0) } });
const mail = defineJob('mail', { queue: 'mail', retry: { attempts: 1 } });
const text = defineJob('text', { queue: 'mail', retry: { attempts: 1 } });

describeEach('failed jobs', (engine) => {
  const bench = useWorkbench(engine);

  /** Runs a job until it has failed for good. */
  async function fail(definition: typeof mail, error = 'no way'): Promise<string> {
    const handler = jobHandler(definition, () => {
      throw new Error(error);
    });
    const worker = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(definition, undefined, { key: `${definition.name}:1` });
    await bench.untilJobIs(id, 'failed');
    await worker.stop();
    return id;
  }

  const listed = async (filter: Parameters<TableQueue['failed']['list']>[0] = {}) => {
    return (await bench.queue.failed.list(filter)).jobs.map(({ id }) => id);
  };

  test('a job that fails for good is added to the failed jobs, one that is retried is not', async () => {
    const flaky = heldHandler(call);
    await bench.work([flaky.handler]);
    const { id } = await bench.queue.enqueue(call);
    await waitFor('it runs', () => flaky.runs.length === 1);
    flaky.runs[0]!.fail(new Error('first'));
    await waitFor('it runs again', () => flaky.runs.length === 2);
    expect(await listed()).toEqual([]);
    flaky.runs[1]!.fail(new Error('second'));
    await bench.untilJobIs(id, 'failed');
    const { jobs, next } = await bench.queue.failed.list();
    expect(jobs).toMatchObject([{ id, state: 'failed', failures: 2, error: expect.stringContaining('second') }]);
    expect(next).toBeUndefined();
  });

  test('they are found by queue, kind, error and time', async () => {
    const first = await fail(mail, 'Timeout of the Server');
    const between = new Date((await bench.queue.find(first))!.finishedAt!.getTime() + 1);
    bench.clock.advance('1h');
    const second = await fail(text, 'no such number');
    const third = await fail(call, 'Timeout of the Partner');
    expect(await listed()).toEqual([third, second, first]);
    expect(await listed({ queue: 'mail' })).toEqual([second, first]);
    expect(await listed({ only: mail })).toEqual([first]);
    expect(await listed({ errorIncludes: 'Timeout of' })).toEqual([third, first]);
    expect(await listed({ errorIncludes: 'timeout of' })).toEqual([]);
    expect(await listed({ errorIncludes: '%' })).toEqual([]);
    expect(await listed({ queue: 'mail', errorIncludes: 'Timeout' })).toEqual([first]);
    expect(await listed({ finishedAfter: between })).toEqual([third, second]);
    expect(await listed({ finishedBefore: between })).toEqual([first]);
  });

  test('a filtered list is paginated', async () => {
    const texts = await finishedJobs(bench, text, 700, 'failed');
    bench.clock.advance('1s');
    const mails = await finishedJobs(bench, mail, 500, 'failed');
    const newest = (ids: readonly string[]) => ids.toReversed();
    const pages: string[][] = [];
    let next: string | undefined;
    do {
      const page = await bench.queue.failed.list({ limit: 450, ...(next && { after: next }) });
      pages.push(page.jobs.map(({ id }) => id));
      next = page.next;
    } while (next !== undefined);
    expect(pages.map(({ length }) => length)).toEqual([450, 450, 300]);
    expect(pages.flat()).toEqual([...newest(mails), ...newest(texts)]);
    const first = await bench.queue.failed.list({ only: text, limit: 30 });
    const second = await bench.queue.failed.list({ only: text, limit: 30, after: first.next! });
    expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(newest(texts).slice(0, 60));
  });

  test('a retried job has the same id, key and attempts; its failures restart at 0', async () => {
    const id = await fail(call, 'the reason');
    const before = await bench.queue.find(id);
    expect(await bench.queue.failed.retry(id)).toBe(true);
    expect(await bench.queue.find(id)).toMatchObject({
      ...before,
      state: 'ready',
      attempt: 2,
      failures: 0,
      crashes: 0,
      runAt: expect.any(Date),
      finishedAt: undefined,
    });
    expect(await bench.finishedJobs()).toEqual([]);
    expect(await bench.queue.findByKey('call:1')).toMatchObject([{ id }]);
    expect(await bench.queue.failed.retry(id)).toBe(false);

    const again = heldHandler(call);
    await bench.work([again.handler]);
    await waitFor('it runs', () => again.runs.length === 1);
    expect(again.runs[0]!.job).toMatchObject({ id, attempt: 3, failures: 0 });
    again.runs[0]!.fail(new Error('once more'));
    await waitFor('it has all its attempts again', () => again.runs.length === 2);
    again.runs[1]!.end('done');
    await bench.untilJobIs(id, 'succeeded');
    expect(await bench.queue.failed.retry(id)).toBe(false);
  });

  test('a job whose unique key another job has is not retried until that job has finished', async () => {
    const unique = { key: 'one' } as const;
    const { runs, handler } = heldHandler(mail);
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(mail, undefined, { unique });
    await waitFor('it runs', () => runs.length === 1);
    runs[0]!.fail(new Error('no'));
    await bench.untilJobIs(id, 'failed');
    const other = await bench.queue.enqueue(mail, undefined, { unique });
    expect(other.created).toBe(true);
    await waitFor('the other runs', () => runs.length === 2);
    await expect(bench.queue.failed.retry(id)).rejects.toMatchObject({ name: 'DuplicateJobError', id: other.id });
    expect(await bench.rows(TableQueueUnique)).toMatchObject([{ key: 'one', jobId: other.id }]);
    runs[1]!.end();
    await bench.untilJobIs(other.id, 'succeeded');
    expect(await bench.queue.failed.retry(id)).toBe(true);
    await waitFor('it runs again', () => runs.length === 3);
    expect(await bench.rows(TableQueueUnique)).toMatchObject([{ key: 'one', jobId: id }]);
    runs[2]!.end();
    await bench.untilJobIs(id, 'succeeded');
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
  });

  test('a cancelled job can be retried by its id; one that does not exist cannot', async () => {
    const { id } = await bench.queue.enqueue(mail, undefined, { delay: '1h' });
    expect(await bench.queue.failed.retry(id)).toBe(false);
    await bench.queue.cancel(id);
    expect(await bench.queue.failed.retry(id)).toBe(true);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', attempt: 0 });
    expect(await bench.queue.failed.retry('0199aaaa-0000-7000-8000-000000000000')).toBe(false);
  });

  test('a retry in a transaction takes effect with its commit, and wakes the worker then', async () => {
    const id = await fail(mail);
    const { runs, handler } = heldHandler(mail);
    await bench.work([handler], { pollInterval: '1h' });
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      expect(await bench.queue.failed.retry(id, { manager })).toBe(true);
      expect(await bench.queue.find(id, { manager })).toMatchObject({ state: 'ready' });
      throw new Error('changed my mind');
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    expect(await listed()).toEqual([id]);
    await bench.dataSource.transaction((manager) => bench.queue.failed.retry(id, { manager }));
    await waitFor('it runs', () => runs.length === 1);
    runs[0]!.end();
    await bench.untilJobIs(id, 'succeeded');
  });

  test('a request to cancel that came too late does not reach the next run', async () => {
    const id = await fail(mail);
    await bench.dataSource.getRepository(TableQueueCancellation).insert({ jobId: id, requestedAt: 0 });
    await bench.queue.failed.retry(id);
    const worker = await bench.work([]);
    await worker.reaper.runOnce();
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready' });
    expect(await bench.rows(TableQueueCancellation)).toEqual([]);
  });

  test('many are retried by the same filters, after the queued jobs, the oldest first', async () => {
    const mails = await finishedJobs(bench, mail, 450, 'failed');
    const texts = await finishedJobs(bench, text, 5, 'failed');
    const { id: waiting } = await bench.queue.enqueue(mail);
    expect(await bench.queue.failed.retryMany({ queue: 'mail', only: mail, errorIncludes: 'failed' })).toEqual({
      retried: 450,
      conflicts: 0,
    });
    expect(await bench.queue.failed.retryMany({ only: mail })).toEqual({ retried: 0, conflicts: 0 });
    expect(await listed()).toEqual(texts.toReversed());
    const order: string[] = [];
    await bench.work([jobHandler(mail, (_payload, { id }) => void order.push(id))], { concurrency: 1 });
    await waitFor('all have run', () => order.length === 451);
    expect(order).toEqual([waiting, ...mails]);
  });

  test('jobs that fail again at once are not retried endlessly', async () => {
    await finishedJobs(bench, mail, 500, 'failed');
    let runs = 0;
    await bench.work(
      [
        jobHandler(mail, () => {
          runs++;
          throw new Error('still');
        }),
      ],
      { concurrency: 100 },
    );
    expect(await bench.queue.failed.retryMany({})).toEqual({ retried: 500, conflicts: 0 });
    await waitFor('all have failed again', async () => (await bench.countFinished()) === 500);
    expect(runs).toBe(500);
    expect((await bench.finishedJobs()).every(({ attempt, failures }) => attempt === 4 && failures === 1)).toBe(true);
  });

  test('bad input is refused by name', async () => {
    const { failed } = bench.queue;
    await expect(failed.retry('1')).rejects.toThrow(/"id" is '1'/);
    await expect(failed.list({ queue: 'no queue' })).rejects.toThrow(InvalidNameError);
    await expect(failed.list({ limit: 0 })).rejects.toThrow(/"limit" is 0.*from 1 to 1000/);
    await expect(failed.list({ after: 'page 2' })).rejects.toThrow(/"after" is 'page 2'/);
    await expect(failed.list({ errorIncludes: '' })).rejects.toThrow(/"errorIncludes" is ''/);
    await expect(failed.list({ finishedAfter: new Date('no') })).rejects.toThrow(/"finishedAfter" is Invalid Date/);
    await expect(failed.retryMany({ finishedBefore: 7 as never })).rejects.toThrow(/"finishedBefore" is 7/);
    await expect(failed.retryMany({ only: 'mail' as never })).rejects.toThrow(InvalidOptionError);
    await expect(failed.retryMany({ limit: 5 } as never)).rejects.toThrow(UnknownOptionError);
    await expect(failed.retryMany(undefined as never)).rejects.toThrow(InvalidOptionError);
  });
});
