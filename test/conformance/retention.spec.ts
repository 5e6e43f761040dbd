import { expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  type Outcome,
  type RetentionOptions,
  TableQueueJob,
  UnknownOptionError,
  UnrecoverableJobError,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { Pruner, TableQueueErrorRow, TableQueueKey, TableQueueUnique } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const add = defineJob('add');
const drop = defineJob('drop');
const note = defineJob<string>('note', { keep: 'none' });
const flaky = defineJob('flaky', { keep: 'none', retry: { attempts: 3, backoff: fixed(0) } });

describeEach('retention', (engine) => {
  const bench = useWorkbench(engine);

  /** A job of each outcome, each with a key. */
  async function oneOfEach(): Promise<void> {
    await bench.work([
      jobHandler(add, () => undefined),
      jobHandler(drop, () => {
        throw new UnrecoverableJobError('dropped');
      }),
    ]);
    const { id } = await bench.queue.enqueue(add, undefined, { delay: '1h', key: 'cancelled' });
    await bench.queue.cancel(id);
    const added = await bench.queue.enqueue(add, undefined, { key: 'succeeded' });
    const dropped = await bench.queue.enqueue(drop, undefined, { key: 'failed' });
    await bench.untilJobIs(added.id, 'succeeded');
    await bench.untilJobIs(dropped.id, 'failed');
  }

  const prune = (retention?: RetentionOptions | false) => new Pruner(bench.queue.engine, retention).runOnce();
  const outcomes = async () => (await bench.finishedJobs()).map(({ state }) => state).sort();
  const failedIds = async () =>
    (await bench.finishedJobs()).flatMap(({ id, state }) => (state === 'failed' ? [id] : [])).sort();
  const numberOf = async (outcome: Outcome) => (await outcomes()).filter((state) => state === outcome).length;

  test('by default succeeded jobs are deleted after 7 days, failed and cancelled ones after 30', async () => {
    await oneOfEach();
    bench.clock.advance('167h');
    expect(await prune()).toEqual({ deleted: 0 });
    bench.clock.advance('2h');
    expect(await prune()).toEqual({ deleted: 1 });
    expect(await outcomes()).toEqual(['cancelled', 'failed']);
    bench.clock.advance('22d');
    expect(await prune()).toEqual({ deleted: 0 });
    bench.clock.advance('2d');
    expect(await prune()).toEqual({ deleted: 2 });
    expect(await bench.rows(TableQueueKey)).toEqual([]);
  });

  test('each outcome has its own rule; false deletes none', async () => {
    await oneOfEach();
    bench.clock.advance('365d');
    expect(await prune(false)).toEqual({ deleted: 0 });
    expect(await prune({ succeeded: false, failed: false, cancelled: { age: '1d' } })).toEqual({ deleted: 1 });
    expect(await outcomes()).toEqual(['failed', 'succeeded']);
    expect(await prune({ succeeded: false, failed: { age: '1d' } })).toEqual({ deleted: 1 });
    expect((await bench.rows(TableQueueKey)).map(({ key }) => key)).toEqual(['succeeded']);
  });

  test('a number keeps that many of the newest jobs of an outcome, independent of other outcomes', async () => {
    await finishedJobs(bench, add, 5_000, 'cancelled');
    const ids = await finishedJobs(bench, add, 5_000, 'succeeded');
    const failed = await finishedJobs(bench, add, 500, 'failed');
    const rules = { succeeded: { count: 4_321 }, cancelled: { count: 7 }, failed: { count: 20 } };
    expect(await prune(rules)).toEqual({ deleted: 679 + 4_993 + 480 });
    const left = (await bench.finishedJobs()).filter(({ state }) => state === 'succeeded').map(({ id }) => id);
    expect(left.sort()).toEqual(ids.slice(-4_321));
    expect(await failedIds()).toEqual(failed.slice(-20));
    expect(await prune(rules)).toEqual({ deleted: 0 });
    expect(await prune({ succeeded: { count: 0 }, failed: { count: 0 } })).toEqual({ deleted: 4_341 });
    expect(await numberOf('cancelled')).toBe(7);
  });

  test('an age and a number both count', async () => {
    await finishedJobs(bench, add, 10, 'succeeded');
    await finishedJobs(bench, add, 10, 'failed');
    const both = { age: '1h', count: 6 } as const;
    expect(await prune({ succeeded: both, failed: both })).toEqual({ deleted: 8 });
    bench.clock.advance('2h');
    expect(await prune({ succeeded: both, failed: both })).toEqual({ deleted: 12 });
  });

  test('a worker that stops breaks its run off, and the next one does the rest', async () => {
    await finishedJobs(bench, add, 9_000, 'succeeded');
    bench.clock.advance('1s');
    const left = () => bench.countFinished();
    await bench.work([], { maintenance: { pruner: '10ms' }, retention: { succeeded: { age: 0 } } });
    await waitFor('it has started', async () => (await left()) < 9_000);
    await bench.stopWorkers();
    const rest = await left();
    expect(rest).toBeGreaterThan(0);
    expect(await prune({ succeeded: { age: 0 } })).toEqual({ deleted: rest });
  });

  test('a worker prunes', async () => {
    await bench.work([jobHandler(add, () => undefined)], {
      maintenance: { pruner: '20ms' },
      retention: { succeeded: { age: 0 } },
    });
    const { id } = await bench.queue.enqueue(add);
    await waitFor('it is gone', async () => (await bench.queue.find(id)) === undefined);
    expect(bench.logger.lines).toEqual([]);
  });

  test('a job with keep: none is deleted when it succeeds; its failures and cancellations stay stored', async () => {
    const received: string[] = [];
    const worker = await bench.work([
      jobHandler(note, (text) => {
        if (text === 'bad') {
          throw new UnrecoverableJobError('bad');
        }
        return text;
      }),
    ]);
    worker.events.on('succeeded', ({ key }) => received.push(String(key)));
    const cancelled = await bench.queue.enqueue(note, 'never', { delay: '1h' });
    await bench.queue.cancel(cancelled.id);
    await bench.queue.enqueueMany(note, [{ payload: 'one', key: 'k1' }, { payload: 'two' }]);
    const bad = await bench.queue.enqueue(note, 'bad', { key: 'bad' });
    await bench.untilJobIs(bad.id, 'failed');
    await waitFor('they have ended', async () => received.length === 2);
    expect(received.sort()).toEqual(['k1', 'undefined']);
    expect(await outcomes()).toEqual(['cancelled', 'failed']);
    expect((await bench.rows(TableQueueKey)).map(({ key }) => key)).toEqual(['bad']);
    expect(await bench.liveJobs()).toEqual([]);
  });

  test.each([
    ['a plain', jobHandler],
    ['a transactional', transactionalHandler],
  ] as const)(
    '%s handler leaves no unique key and no error of an attempt where nothing is kept',
    async (_kind, handle) => {
      const attempts: number[] = [];
      const worker = await bench.work([
        handle(flaky, (_payload, { attempt }) => {
          attempts.push(attempt);
          if (attempt < 3) {
            throw new Error('not yet');
          }
        }),
      ]);
      const received: string[] = [];
      worker.events.on('succeeded', ({ id }) => received.push(id)).on('lost', () => received.push('lost'));
      const unique = { key: 'one' } as const;
      const first = await bench.queue.enqueue(flaky, undefined, { unique, key: 'order:1' });
      await waitFor('it has ended', () => received.length === 1);
      expect(received).toEqual([first.id]);
      expect(attempts).toEqual([1, 2, 3]);
      for (const table of [TableQueueUnique, TableQueueErrorRow, TableQueueKey, TableQueueJob]) {
        expect(await bench.rows<object>(table)).toEqual([]);
      }
      expect((await bench.queue.enqueue(flaky, undefined, { unique, delay: '1h' })).created).toBe(true);
    },
  );

  test('the errors of a job are deleted with it, also after a retry', async () => {
    await bench.work([
      jobHandler(drop, () => {
        throw new UnrecoverableJobError('dropped');
      }),
    ]);
    const { id } = await bench.queue.enqueue(drop);
    const { id: other } = await bench.queue.enqueue(drop);
    await bench.untilJobIs(id, 'failed');
    await bench.untilJobIs(other, 'failed');
    await bench.stopWorkers();
    await bench.queue.failed.retry(id);
    const errors = [{ attempt: 1, error: expect.stringContaining('dropped') }];
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', attempt: 1, failures: 0, errors });
    await bench.queue.cancel(id);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'cancelled', errors });
    bench.clock.advance('1h');
    expect(await prune({ failed: false, cancelled: { age: '1m' } })).toEqual({ deleted: 1 });
    expect(await bench.rows(TableQueueErrorRow)).toMatchObject([{ jobId: other }]);
    expect(await prune({ failed: { age: '1m' } })).toEqual({ deleted: 1 });
    expect(await bench.rows(TableQueueErrorRow)).toEqual([]);
  });

  test('a job with keep: none is not deleted by a worker that has lost it', async () => {
    const keepsNothing = defineJob('keeps.nothing', { keep: 'none' });
    const { runs, handler } = heldHandler(keepsNothing);
    const worker = await bench.work([handler]);
    const received: string[] = [];
    worker.events.on('lost', () => received.push('lost')).on('succeeded', () => received.push('succeeded'));
    const [one, two] = await bench.queue.enqueueMany(keepsNothing, [{ key: 'one' }, { key: 'two' }]);
    await waitFor('both run', () => runs.length === 2);
    // As if another worker ran it by now.
    await bench.dataSource.query('UPDATE tq_job SET attempt = 2 WHERE job_key = ?', ['one']);
    runs.forEach(({ end }) => end());
    await waitFor('both are reported', () => received.length === 2);
    expect(received.sort()).toEqual(['lost', 'succeeded']);
    expect(await bench.queue.find(one!.id)).toMatchObject({ state: 'running', attempt: 2 });
    expect(await bench.queue.find(two!.id)).toBeUndefined();
    expect((await bench.rows(TableQueueKey)).map(({ key }) => key)).toEqual(['one']);
  });

  test('bad input is refused by name', () => {
    const worker = (retention: unknown) => () => bench.worker([], { retention: retention as RetentionOptions });
    expect(worker({ failed: {} })).toThrow(/"retention.failed" is {}.*{ age }, { count }/);
    expect(worker({ failed: '30d' })).toThrow(/"retention.failed" is '30d'.*Write { age: '30d' }\./);
    expect(worker({ audit: '90d' })).toThrow(/"retention.audit" is '90d'.*Write { age: '90d' }\./);
    expect(worker({ failed: { age: 'long' } })).toThrow(/"retention.failed.age" is 'long'/);
    expect(worker({ succeeded: { count: -1 } })).toThrow(/"retention.succeeded.count" is -1.*from 0 to 100000000/);
    expect(worker({ succeeded: true })).toThrow(InvalidOptionError);
    expect(worker({ done: { age: '1d' } })).toThrow(UnknownOptionError);
    expect(worker({ succeeded: { days: 3 } })).toThrow(UnknownOptionError);
    expect(() => defineJob('any', { keep: 'some' as 'all' })).toThrow(/"keep" is 'some'.*'all' or 'none'/);
  });
});

describeEach(
  'pruning beside an open transaction',
  (engine) => {
    const bench = useWorkbench(engine);

    test('does not wait for one that enqueues under the same key', async () => {
      await bench.work([jobHandler(add, () => undefined)]);
      const jobs = await bench.queue.enqueueMany(
        add,
        Array.from({ length: 10 }, () => ({ key: 'same' })),
      );
      await waitFor('all have run', async () => (await bench.countFinished()) === jobs.length);
      bench.clock.advance('1h');
      const neighbor = bench.dataSource.createQueryRunner();
      await neighbor.startTransaction();
      await bench.queue.enqueue(add, undefined, { key: 'same', delay: '1h', queryRunner: neighbor });
      // A lock in the middle of the old jobs.
      await neighbor.query('SELECT 1 FROM tq_job WHERE id = ? FOR UPDATE', [
        Buffer.from(jobs[4]!.id.replaceAll('-', ''), 'hex'),
      ]);
      await neighbor.query('SELECT 1 FROM tq_key WHERE job_key = ? AND job_id = ? FOR UPDATE', [
        'same',
        Buffer.from(jobs[4]!.id.replaceAll('-', ''), 'hex'),
      ]);
      expect(await new Pruner(bench.queue.engine, { succeeded: { age: '1m' } }).runOnce()).toEqual({ deleted: 9 });
      await neighbor.commitTransaction();
      await neighbor.release();
      expect(await bench.queue.findByKey('same')).toHaveLength(2);
    });
  },
  ['mariadb', 'mysql'],
);
