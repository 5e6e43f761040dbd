import { afterEach, expect, test } from '@jest/globals';
import { SnoozeJobError, UnrecoverableJobError, defineJob, fixed, transactionalHandler } from '@tablequeue/typeorm';
import type { QueryRunner } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { type HeldRun, heldBatchHandler, heldHandler } from '../support/held-handler.js';
import { Note } from '../support/note.js';
import { SNAPSHOT_ISOLATION } from '../support/session-settings.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const OTHERS = 60;
/** More than one batch of outcomes. */
const MANY = 500;
const job = defineJob('held', { retry: { attempts: 3, backoff: fixed('1h') } });
const forgotten = defineJob('forgotten', { keep: 'none' });
const write = defineJob('write');
const batched = defineJob<number>('batched');

// On SQLite no row is ever locked: a transaction has the whole database.
describeEach(
  'a running job whose row an open transaction holds',
  (engine) => {
    let holder: QueryRunner;
    afterEach(async () => {
      if (holder.isTransactionActive) {
        await holder.rollbackTransaction();
      }
      await holder.release();
    });
    const bench = useWorkbench(engine);

    /** A transaction of the application's, as most of them are. */
    async function begin(): Promise<QueryRunner> {
      holder = bench.dataSource.createQueryRunner();
      await holder.startTransaction('REPEATABLE READ');
      return holder;
    }

    /** Holds the row of the first of these. */
    async function hold([first]: readonly HeldRun[]): Promise<void> {
      await (await begin()).query('SELECT id FROM tq_job WHERE id = UNHEX(?) FOR UPDATE', [hexOf(first!.job.id)]);
    }

    /** So many runs at the same time. */
    async function running(count: number, definition = job) {
      const { runs, handler } = heldHandler(definition);
      const worker = await bench.work([handler], { concurrency: count, shutdownTimeout: 0 });
      await bench.queue.enqueueMany(
        definition,
        Array.from({ length: count }, () => ({})),
        { outsideTransaction: true },
      );
      await waitFor('all of them run', () => runs.length === count);
      return { runs, worker };
    }

    const live = async (state: string) => (await bench.liveJobs()).filter((each) => each.state === state).length;
    const ended = async (state: string) => (await bench.finishedJobs()).filter((each) => each.state === state).length;
    const gone = async (count: number) => count - (await bench.liveJobs()).length;

    const outcomes = [
      ['success', job, (run: HeldRun) => run.end(), () => ended('succeeded')],
      ['result', job, (run: HeldRun) => run.end('done'), () => ended('succeeded')],
      ['failure', job, (run: HeldRun) => run.fail(new UnrecoverableJobError('no')), () => ended('failed')],
      ['retry', job, (run: HeldRun) => run.fail(new Error('not yet')), () => live('scheduled')],
      ['snooze', job, (run: HeldRun) => run.fail(new SnoozeJobError('1h')), () => live('scheduled')],
      ['success with keep: none', forgotten, (run: HeldRun) => run.end(), () => gone(OTHERS + 1)],
    ] as const;

    test.each(outcomes)('does not block the %s of other jobs', async (_kind, definition, end, countWritten) => {
      const { runs } = await running(OTHERS + 1, definition);
      await hold(runs);
      runs.forEach(end);
      await waitFor('all others are stored', async () => (await countWritten()) === OTHERS);
      expect(await bench.queue.find(runs[0]!.job.id)).toMatchObject({ state: 'running', attempt: 1 });
      await holder.rollbackTransaction();
      await waitFor('it is too', async () => (await countWritten()) === OTHERS + 1);
    });

    test('is logged when that lasts', async () => {
      const { runs } = await running(1);
      await hold(runs);
      runs[0]!.end();
      await waitFor('it is logged', () => bench.logger.lines.some((line) => line.includes('"held" waits for an open')));
      await holder.commitTransaction();
      await bench.untilJobIs(runs[0]!.job.id, 'succeeded');
      expect(bench.logger.lines).toHaveLength(1);
    });

    test('by a cancellation that still saw it waiting, does not block the completion of others', async () => {
      const { id } = await bench.queue.enqueue(job);
      holder = bench.dataSource.createQueryRunner();
      await holder.startTransaction('REPEATABLE READ');
      const { manager } = holder;
      expect(await bench.queue.find(id, { manager })).toMatchObject({ state: 'ready' });
      const { runs } = await running(MANY + 1);
      expect(await bench.queue.cancel(id, { manager })).toBe('requested');
      runs.forEach(({ end }) => end());
      // A job that was stored later runs when a slot is free again.
      await waitFor('the last one runs', () => runs.length === MANY + 2);
      runs.at(-1)!.end();
      await waitFor('all others have ended', async () => (await ended('succeeded')) === MANY + 1);
      expect(await bench.queue.find(id)).toMatchObject({ state: 'running' });
      await holder.commitTransaction();
      await bench.untilJobIs(id, 'succeeded');
    });

    test('does not block the progress of others, and its own is not lost', async () => {
      const { runs } = await running(3);
      await hold(runs);
      runs.forEach(({ job: context }, index) => context.progress({ index }));
      await waitFor('the others have stored progress', async () => {
        return (await bench.liveJobs()).filter(({ progress }) => progress !== null).length === 2;
      });
      await holder.rollbackTransaction();
      const { id } = runs[0]!.job;
      await waitFor('it has too', async () => (await bench.queue.find(id))?.progress !== undefined);
      expect(await bench.queue.find(id)).toMatchObject({ state: 'running', progress: { index: 0 } });
      runs.forEach(({ end }) => end());
      await waitFor('all have ended', async () => (await ended('succeeded')) === 3);
    });

    test('does not prevent a worker from stopping and returning the others', async () => {
      const { runs, worker } = await running(20);
      await hold(runs);
      const stopped = worker.stop();
      await waitFor('the others are returned', async () => (await live('ready')) === 19);
      await stopped;
      expect(await bench.queue.find(runs[0]!.job.id)).toMatchObject({ state: 'running' });
      await holder.rollbackTransaction();
      const { reaper } = await bench.work([]);
      expect(await reaper.runOnce()).toMatchObject({ returned: 1 });
    });

    test('with a known outcome is not returned by a worker that stops', async () => {
      const { runs, worker } = await running(20);
      const received: string[] = [];
      worker.events.on('returned', ({ id }) => received.push(id));
      await hold(runs);
      runs[0]!.end('done');
      const stopped = worker.stop();
      // A worker that stops does not wait for it for long.
      await waitFor('it is decided which jobs are returned', () => runs[1]!.job.signal.aborted);
      await holder.rollbackTransaction();
      await stopped;
      expect(await live('ready')).toBe(19);
      const { id } = runs[0]!.job;
      expect(await bench.queue.find(id)).toMatchObject({ state: 'succeeded', result: 'done' });
      expect(received).toHaveLength(19);
      expect(received).not.toContain(id);
    });

    test('of a batch with an outcome is awaited by a worker that stops', async () => {
      const { handler, first } = heldBatchHandler(batched);
      const [one, two] = await bench.queue.enqueueMany(batched, [{ payload: 1 }, { payload: 2 }]);
      const worker = await bench.work([handler], { shutdownTimeout: 0 });
      const { jobs, end } = await first();
      await (await begin()).query('SELECT id FROM tq_job WHERE id = UNHEX(?) FOR UPDATE', [hexOf(one!.id)]);
      jobs[0]!.succeed('done');
      const stopped = worker.stop();
      await waitFor('it is decided which jobs are returned', () => jobs[1]!.signal.aborted);
      await holder.rollbackTransaction();
      await stopped;
      expect(await bench.queue.find(two!.id)).toMatchObject({ state: 'ready' });
      expect(await bench.queue.find(one!.id)).toMatchObject({ state: 'succeeded', result: 'done' });
      end();
    });

    test('is ended by its transactional handler when that transaction is over', async () => {
      const { runs, handler } = heldHandler(job);
      const written = transactionalHandler(write, async (_payload, { id, manager }) => {
        await manager.insert(Note, { id: 1, text: id });
        await (await begin()).query('SELECT id FROM tq_job WHERE id = UNHEX(?) FOR UPDATE', [hexOf(id)]);
      });
      await bench.work([handler, written]);
      const { id } = await bench.queue.enqueue(write);
      await bench.queue.enqueueMany(job, [{}, {}, {}]);
      await waitFor('it is held, and the others run', () => holder?.isTransactionActive && runs.length === 3);
      runs.forEach(({ end }) => end());
      await waitFor('the others have ended', async () => (await ended('succeeded')) === 3);
      expect(await bench.rows(Note)).toEqual([]);
      await holder.commitTransaction();
      expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 1 });
      expect(await bench.rows(Note)).toHaveLength(1);
    });

    test('is looked into when that is over, where its transactional handler may or may not have committed', async () => {
      let holding: Promise<unknown> | undefined;
      const { subscribers } = bench.dataSource;
      subscribers.push({
        beforeTransactionCommit: () => {
          throw new Error('a subscriber of the application');
        },
        afterTransactionRollback: async () => {
          subscribers.pop();
          holding = (await begin()).query(
            'SELECT id FROM tq_job FORCE INDEX (PRIMARY) WHERE id = UNHEX(?) FOR UPDATE',
            [hexOf(id)],
          );
          await holding;
        },
      });
      const { id } = await bench.queue.enqueue(write);
      await bench.work([transactionalHandler(write, async () => undefined)]);
      await waitFor('it is held', () => holding);
      expect(await bench.queue.find(id)).toMatchObject({ state: 'running', attempt: 1 });
      await holder.rollbackTransaction();
      expect(await bench.untilJobIs(id, 'scheduled')).toMatchObject({ failures: 1 });
    });
  },
  ['mariadb', 'mysql'],
);

function hexOf(id: string): string {
  return id.replaceAll('-', '');
}

describeEach(
  'a transaction with an old view of a job, where the server isolates snapshots',
  (engine) => {
    const bench = useWorkbench(engine, { dataSource: SNAPSHOT_ISOLATION });

    test('can cancel the job, which has started meanwhile', async () => {
      const { id } = await bench.queue.enqueue(job);
      const { handler, runs } = heldHandler(job);
      await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
        expect(await bench.queue.find(id, { manager })).toMatchObject({ state: 'ready' });
        await bench.work([handler]);
        await waitFor('it runs', () => runs.length === 1);
        expect(await bench.queue.cancel(id, { manager })).toBe('requested');
      });
      await waitFor('its signal is aborted', () => runs[0]!.job.signal.aborted);
      runs[0]!.end();
      await bench.untilJobIs(id, 'succeeded');
    });
  },
  ['mariadb'],
);
