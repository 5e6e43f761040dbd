import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type DurableJobContext,
  TableQueue,
  UnrepeatedStepError,
  child,
  defineJob,
  defineSignal,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';
import { DrainFailedError, TestingClock, TestingQueue } from '@tablequeue/typeorm/testing';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { useDatabase } from '../support/use-database.js';

const trip = defineJob<string>('trip', { retry: { attempts: 2, backoff: fixed('1h') } });
const approved = defineSignal<string>('approved');

const TABLES = ['tq_job', 'tq_step', 'tq_signal', 'tq_group', 'tq_member', 'tq_error', 'note'];

describeEach('durable jobs in the testing kit', (engine) => {
  let dataSource: DataSource;
  let queue: TableQueue;
  let clock: TestingClock;
  let testing: TestingQueue;
  let queryRunner: QueryRunner;
  let manager: EntityManager;
  let calls: string[];
  const database = useDatabase(engine);

  beforeEach(async () => {
    dataSource = await database.connect();
    clock = new TestingClock();
    queue = new TableQueue(dataSource, { clock });
    calls = [];
    testing = new TestingQueue(queue, [
      jobHandler(trip, async (text, { step, sleep, waitForSignal }) => {
        await step('plan', ({ failures }) => {
          calls.push('plan');
          if (failures === 0) {
            throw new Error('once');
          }
        });
        await sleep('3d');
        const approval = await waitForSignal(approved);
        await step('book', (own) => own.insert(Note, { id: 1, text: `${text} by ${approval.data}` }), {
          transactional: true,
        });
        return approval.data;
      }),
    ]);
    queryRunner = dataSource.createQueryRunner();
    ({ manager } = queryRunner);
  });
  afterEach(async () => {
    await queryRunner.release();
    for (const table of TABLES) {
      await dataSource.query(`DELETE FROM ${table}`);
    }
    await dataSource.destroy();
  });

  const outcomes = async (drained: ReturnType<TestingQueue['drain']>) =>
    (await drained).map(({ outcome, attempt }) => `${outcome} ${attempt}`);

  test('a drain reports what waits, the clock resumes it, and signals are the real ones', async () => {
    const { id } = await queue.enqueue(trip, 'a');
    expect(await outcomes(testing.drain())).toEqual(['parked 1']);
    clock.advance('1h');
    expect(await outcomes(testing.drain())).toEqual(['parked 2']);
    clock.advance('3d');
    expect(await outcomes(testing.drain())).toEqual(['parked 3']);
    expect(await outcomes(testing.drain())).toEqual([]);
    await queue.signal(id, approved, 'ada');
    expect(await outcomes(testing.drain())).toEqual(['succeeded 4']);
    expect(calls).toEqual(['plan', 'plan']);
    expect(await dataSource.getRepository(Note).find()).toEqual([{ id: 1, text: 'a by ada' }]);
  });

  test('the same in the transaction of a test, which leaves nothing behind', async () => {
    await queryRunner.startTransaction();
    const { id } = await queue.enqueue(trip, 'a', { manager });
    const drain = () => outcomes(testing.drain({ manager }));
    expect(await drain()).toEqual(['parked 1']);
    clock.advance('1h');
    expect(await drain()).toEqual(['parked 2']);
    clock.advance('3d');
    expect(await drain()).toEqual(['parked 3']);
    await queue.signal(id, approved, 'ada', { manager });
    expect(await drain()).toEqual(['succeeded 4']);
    expect(await manager.find(Note)).toEqual([{ id: 1, text: 'a by ada' }]);
    await queryRunner.rollbackTransaction();
    for (const table of TABLES) {
      expect(await dataSource.query(`SELECT 1 FROM ${table} LIMIT 1`)).toEqual([]);
    }
  });

  test('a child that is cancelled in the transaction of a test ends the wait of its parent', async () => {
    const parent = defineJob('parent');
    testing = new TestingQueue(queue, [
      jobHandler(parent, (_payload, job) =>
        job.runAll('trips', [child(trip, 'a', { delay: '1h' })], { outcomes: true }),
      ),
    ]);
    await queryRunner.startTransaction();
    const { id } = await queue.enqueue(parent, undefined, { manager });
    expect(await outcomes(testing.drain({ manager }))).toEqual(['parked 1']);
    const [waiting] = await testing.jobs(trip, { manager });
    expect(await queue.cancel(waiting!.id, { manager })).toBe('cancelled');
    expect(await outcomes(testing.drain({ manager }))).toEqual(['succeeded 2']);
    expect((await queue.find(id, { manager }))?.result).toMatchObject([{ state: 'cancelled' }]);
    await queryRunner.rollbackTransaction();
  });

  describe('restarted behind every step', () => {
    const restart = 'every step';
    const loop = defineJob<number>('loop', { retry: { attempts: 2 } });
    const seen: unknown[] = [];
    let handle: (job: DurableJobContext) => unknown;

    beforeEach(() => {
      seen.length = 0;
      testing = new TestingQueue(queue, [
        jobHandler(loop, (_payload, job) => handle(job)),
        jobHandler(trip, () => 'child'),
      ]);
    });

    test('each step runs once, and the code between them again', async () => {
      handle = async ({ step, run }) => {
        await step('one', () => seen.push('one'));
        seen.push('between');
        await Promise.all(['two', 'three'].map((name) => step(name, () => seen.push(name))));
        await step('four', (own) => own.insert(Note, { id: 1, text: 'four' }), { transactional: true });
        return run('trip', child(trip, 'a'));
      };
      await queue.enqueue(loop, 1);
      expect(await outcomes(testing.drain({ restart }))).toEqual([
        'returned 1',
        'returned 2',
        'returned 3',
        'parked 4',
        'succeeded 1',
        'returned 5',
        'succeeded 6',
      ]);
      expect(seen).toEqual(['one', 'between', 'two', 'three', 'between', 'between', 'between', 'between']);
      expect(await dataSource.getRepository(Note).count()).toBe(1);
    });

    test('a step behind each of its cursors too', async () => {
      handle = ({ step }) =>
        step('count', async ({ cursor, checkpoint }) => {
          for (let next = ((cursor as number | undefined) ?? 0) + 1; next <= 3; next++) {
            seen.push(next);
            await checkpoint(next);
          }
        });
      await queue.enqueue(loop, 1);
      expect(await outcomes(testing.drain({ restart }))).toEqual([
        'returned 1',
        'returned 2',
        'returned 3',
        'returned 4',
        'succeeded 5',
      ]);
      expect(seen).toEqual([1, 2, 3]);
    });

    test('finds a handler that takes another way the next time', async () => {
      handle = async ({ step, attempt }) => {
        // As Math.random() does now and then.
        await step(`way ${attempt % 2}`, () => undefined);
      };
      await queue.enqueue(loop, 1);
      const drained = testing.drain({ restart });
      await expect(drained).rejects.toThrow(DrainFailedError);
      await expect(drained).rejects.toMatchObject({ cause: new UnrepeatedStepError('way 0') });
      expect((await testing.jobs(loop))[0]).toMatchObject({ state: 'failed', attempt: 3 });
    });

    test('a job without steps runs once', async () => {
      handle = () => seen.push('run');
      await queue.enqueue(loop, 1);
      expect(await outcomes(testing.drain({ restart }))).toEqual(['succeeded 1']);
    });
  });
});
