import { expect, test } from '@jest/globals';
import { defineJob, fixed, jobHandler, transactionalHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

const write = defineJob<string>('write', { retry: { attempts: 3, backoff: fixed('1h') } });
const forget = defineJob<string>('forget', { keep: 'none' });
const follow = defineJob<string>('follow');

describeEach('transactional handlers', (engine) => {
  const bench = useWorkbench(engine);

  /** A subscriber of the application's that fails once, at the next commit after `begin`. */
  function failingCommit(hook: 'beforeTransactionCommit' | 'afterTransactionCommit') {
    let isToFail = false;
    const subscriber = {
      [hook]: () => {
        if (isToFail) {
          isToFail = false;
          throw new Error('a subscriber of the application');
        }
      },
    };
    const { subscribers } = bench.dataSource;
    subscribers.push(subscriber);
    return {
      begin: () => void (isToFail = true),
      end: () => void subscribers.splice(subscribers.indexOf(subscriber), 1),
    };
  }

  const notes = async () => (await bench.rows(Note)).map(({ text }) => text);

  test('the writes of the handler, its enqueued jobs and the end of its job are committed together', async () => {
    const followed: string[] = [];
    await bench.work([
      transactionalHandler(write, async (text, { id, manager }) => {
        await manager.insert(Note, { id: 1, text });
        await bench.queue.enqueue(follow, text, { manager });
        expect(await bench.queue.find(id, { manager })).toMatchObject({ state: 'running' });
        return { written: text };
      }),
      jobHandler(follow, (text) => void followed.push(text)),
    ]);
    const { id } = await bench.queue.enqueue(write, 'a');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 1, result: { written: 'a' } });
    expect(await notes()).toEqual(['a']);
    await waitFor('the job enqueued there is run', () => followed.length === 1);
    expect(bench.logger.lines).toEqual([]);
  });

  test('the writes of a handler that throws are rolled back', async () => {
    await bench.work([
      transactionalHandler(write, async (text, { manager, attempt }) => {
        await manager.insert(Note, { id: 1, text: `${text}${attempt}` });
        await bench.queue.enqueue(follow, text, { manager, delay: '1h' });
        if (attempt === 1) {
          throw new Error('in the middle');
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(write, 'a');
    await bench.untilJobIs(id, 'scheduled');
    expect(await notes()).toEqual([]);
    expect(await bench.liveJobs()).toHaveLength(1);
    bench.clock.advance('1h');
    await bench.untilJobIs(id, 'succeeded');
    expect(await notes()).toEqual(['a2']);
  });

  if (engine !== 'sqlite') {
    test('a transaction that cannot begin costs the job nothing, not even its last attempt', async () => {
      const once = defineJob<string>('once', { retry: { attempts: 1 } });
      const dataSource = await bench.database.connect({ poolSize: 1, extra: { waitForConnections: false } });
      const small = Workbench.on(bench.database, dataSource);
      await small.work([
        transactionalHandler(once, async (text, { manager }) => void (await manager.insert(Note, { id: 1, text }))),
      ]);
      const holder = dataSource.createQueryRunner();
      await holder.connect();
      const { id } = await bench.queue.enqueue(once, 'a');
      const isTold = () => small.logger.lines.some((line) => line.includes('could not begin'));
      await waitFor('no connection is left for it', isTold);
      await holder.release();
      expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ failures: 0 });
      expect(await notes()).toEqual(['a']);
      await small.stopWorkers();
    });
  }

  test('the writes of an attempt that lost its job are rolled back', async () => {
    const worker = await bench.work([
      transactionalHandler(write, async (text, { id, manager }) => {
        await manager.insert(Note, { id: 1, text });
        // As the reaper and another worker would do it, from another connection on a server.
        await manager.query('UPDATE tq_job SET attempt = attempt + 1 WHERE name = ?', ['write']);
        expect(await bench.queue.find(id, { manager })).toMatchObject({ attempt: 2 });
      }),
    ]);
    const lost: string[] = [];
    worker.events.on('lost', ({ id }) => lost.push(id));
    const { id } = await bench.queue.enqueue(write, 'a');
    await waitFor('it is lost', () => lost.includes(id));
    expect(await notes()).toEqual([]);
    expect(await bench.finishedJobs()).toEqual([]);
  });

  test.each([
    ['after it', 'afterTransactionCommit', 'succeeded', ['a']],
    ['before it', 'beforeTransactionCommit', 'scheduled', []],
  ] as const)('a commit that fails %s is looked into', async (_when, hook, state, left) => {
    const failing = failingCommit(hook);
    const received: string[] = [];
    const worker = await bench.work([
      transactionalHandler(write, async (text, { manager }) => {
        await manager.insert(Note, { id: 1, text });
        failing.begin();
      }),
    ]);
    worker.events.on('succeeded', () => received.push('succeeded')).on('retried', () => received.push('scheduled'));
    const { id } = await bench.queue.enqueue(write, 'a');
    await bench.untilJobIs(id, state);
    await waitFor('it is reported', () => received.length === 1);
    expect(received).toEqual([state]);
    expect(await notes()).toEqual(left);
    failing.end();
  });

  test('after a commit without an answer the outcome is found out, also for a job with keep: none', async () => {
    const failing = failingCommit('afterTransactionCommit');
    const received: string[] = [];
    const worker = await bench.work([
      transactionalHandler(forget, async (text, { manager }) => {
        await manager.insert(Note, { id: 1, text });
        failing.begin();
      }),
    ]);
    for (const event of ['succeeded', 'retried', 'lost'] as const) {
      worker.events.on(event, () => received.push(event));
    }
    await bench.queue.enqueue(forget, 'a');
    await waitFor('it is reported', () => received.length === 1);
    expect(received).toEqual(['succeeded']);
    expect(await notes()).toEqual(['a']);
    expect([...(await bench.liveJobs()), ...(await bench.finishedJobs())]).toEqual([]);
    failing.end();
  });

  // SQLite ends no transaction on a deadlock.
  if (engine !== 'sqlite') {
    test('a handler that has lost its transaction without noticing has not succeeded', async () => {
      await bench.work([
        transactionalHandler(write, async (text, { manager }) => {
          await manager.insert(Note, { id: 1, text });
          // As a deadlock does on MySQL, when the handler catches its error.
          await manager.query('ROLLBACK');
        }),
      ]);
      const { id } = await bench.queue.enqueue(write, 'a');
      expect(await bench.untilJobIs(id, 'scheduled')).toMatchObject({ failures: 1 });
      expect(await notes()).toEqual([]);
      expect(await bench.finishedJobs()).toEqual([]);
    });
  }

  test('many run at a time, each in its own transaction', async () => {
    await bench.work([
      transactionalHandler(write, async (text, { manager }) => {
        await manager.insert(Note, { id: Number(text), text });
        if (text.endsWith('3')) {
          throw new Error('every tenth');
        }
      }),
    ]);
    const jobs = await bench.queue.enqueueMany(
      write,
      Array.from({ length: 40 }, (_, index) => ({ payload: `${index}` })),
    );
    await waitFor('all have run', async () => (await bench.countFinished()) === 36);
    await waitFor('the others wait', async () => {
      const live = await bench.liveJobs();
      return live.length === 4 && live.every(({ state }) => state === 'scheduled');
    });
    expect(await notes()).toHaveLength(36);
    expect(jobs).toHaveLength(40);
  });
});
