import { expect } from '@jest/globals';
import {
  DuplicateJobError,
  type JobContext,
  UnrecoverableJobError,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { Reaper, Retrier, Scheduler } from '@tablequeue/typeorm/internal';

import { countPrepared } from './count-prepared.js';
import { heldHandler } from './held-handler.js';
import { Note } from './note.js';
import { databaseTime } from './schedules.js';
import { waitFor } from './wait-for.js';
import type { Workbench } from './workbench.js';

/** What a session may spoil: quotes, escapes, placeholders, comments, letters of one to four bytes. */
const HARD = `it's "so" \\ \\' \\n ? :name -- /* */ || ß ж 木 😀`;
const HOUR = 3_600_000;

const plain = defineJob<{ readonly text: string }>('plain', { retry: { attempts: 3, backoff: fixed('1m') } });
const effect = defineJob<number>('effect', { queue: 'effects' });
const held = defineJob('held', { queue: 'held' });
const tick = defineJob<string>('tick', { queue: 'ticks' });
const hopeless = defineJob<string>('hopeless', { queue: 'hopeless' });
const member = defineJob<number>('member', { queue: 'members' });
const callback = defineJob('callback', { queue: 'members' });

class Rollback extends Error {}

/** Goes through what a queue does, once, and sees that it does it right. */
export async function walk(bench: Workbench): Promise<void> {
  await storing(bench);
  await running(bench);
  await delaying(bench);
  await dying(bench);
  await recurring(bench);
  await failing(bench);
  await grouping(bench);
  expect(bench.logger.lines).toEqual([
    expect.stringMatching(/^warn .*taken over by another worker/),
    expect.stringMatching(/^error .*failed for good/),
  ]);
}

/** In transactions and outside, one and many, unique and by key; found by another connection. */
async function storing({ queue, dataSource, logger }: Workbench): Promise<void> {
  const { id } = await dataSource.transaction(async (manager) => {
    await manager.insert(Note, { id: 1, text: 'order' });
    return queue.enqueue(plain, { text: HARD }, { manager, key: HARD, delay: '1h', priority: -5 });
  });
  const undone = dataSource.transaction(async (manager) => {
    await queue.enqueue(plain, { text: 'undone' }, { manager, key: 'undone' });
    throw new Rollback();
  });
  await expect(undone).rejects.toThrow(Rollback);
  expect(await queue.findByKey('undone')).toEqual([]);
  const [found] = await queue.findByKey(HARD);
  expect(found).toMatchObject({ id, payload: { text: HARD }, key: HARD, priority: -5, state: 'scheduled' });
  expect(+found!.runAt - +found!.createdAt).toBe(HOUR);

  // Enough for several rows, and in two lanes; often enough to be prepared, where all is
  // ASCII in any character set.
  for (const hard of [HARD, HARD.replace(/[^ -~]/gu, '')]) {
    const batch = (key: string) =>
      Array.from({ length: 60 }, (_, index) => ({
        payload: { text: `${index} ${hard}` },
        key,
        ...(index % 2 ? { tenant: `${hard} ${index}` } : {}),
      }));
    const keys = [1, 2, 3, 4].map((call) => `many ${call} ${hard.length}`);
    for (const key of keys) {
      await queue.enqueueMany(plain, batch(key));
    }
    for (const key of keys) {
      const texts = (await queue.findByKey(key)).map(({ payload }) => (payload as { text: string }).text);
      expect(texts.toSorted()).toEqual(
        batch(key)
          .map(({ payload }) => payload.text)
          .toSorted(),
      );
    }
  }
  expect((await countPrepared(dataSource, 'execute')) > 0).toBe(dataSource.options.maxQueryExecutionTime === undefined);
  await Promise.all(Array.from({ length: 9 }, (_, index) => queue.enqueue(plain, { text: `${index} ${HARD}` })));
  const counts = await queue.counts();
  expect(counts).toMatchObject([{ queue: 'default', ready: { count: 489 }, scheduled: { count: 1 } }]);

  const unique = { key: `unique ${HARD}` };
  const first = await queue.enqueue(plain, { text: 'unique' }, { unique });
  expect(first.created).toBe(true);
  expect(await queue.enqueue(plain, { text: 'unique' }, { unique })).toEqual({
    id: first.id,
    created: false,
    replaced: false,
  });
  const another = { key: `UNIQUE ${HARD}` };
  expect(await queue.enqueue(plain, { text: 'upper' }, { unique: another })).toMatchObject({ created: true });
  const clash = dataSource.transaction((manager) =>
    queue.enqueue(plain, { text: 'clash' }, { manager, unique: { ...unique, onConflict: 'throw' } }),
  );
  await expect(clash).rejects.toThrow(DuplicateJobError);
  expect(await queue.cancelByKey(HARD)).toEqual({ cancelled: 1, requested: 0 });
  const { problems, database } = await queue.health();
  // The doctor reports settings that the queue can work with.
  expect(problems.filter(({ kind }) => kind !== 'database-findings')).toEqual([]);
  expect(database).toBe('up');
  expect(logger.lines).toEqual([]);
}

/** What is ready, with a result, an effect in the handler's transaction, and a first attempt that fails. */
async function running(bench: Workbench): Promise<void> {
  const { queue, clock } = bench;
  const texts: string[] = [];
  const attempts: number[] = [];
  const { id: failedOnce } = await queue.enqueue(plain, { text: 'fails once' });
  await bench.work([
    jobHandler(plain, ({ text }, job: JobContext) => {
      if (text === 'fails once') {
        attempts.push(job.attempt);
        if (job.attempt === 1) {
          throw new Error(HARD);
        }
      }
      job.progress({ at: HARD });
      texts.push(text);
      return { said: HARD };
    }),
    transactionalHandler(effect, async (number, { manager }) => {
      await manager.insert(Note, { id: number, text: 'effect' });
      await queue.enqueue(effect, number + 1, { manager, delay: '1h' });
    }),
  ]);
  const { id: effectId } = await queue.enqueue(effect, 100);
  await bench.untilJobIs(effectId, 'succeeded');
  expect((await bench.rows(Note)).map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([1, 100]);
  // At READ UNCOMMITTED the job is seen before its error is.
  const failed = await waitFor('it has failed, with its error', async () => {
    const found = await queue.find(failedOnce);
    return found?.state === 'scheduled' && found.errors.length > 0 && found;
  });
  expect(failed).toMatchObject({ failures: 1, attempt: 1 });
  expect(failed.errors).toHaveLength(1);
  await waitFor('all that is ready has run', async () =>
    (await queue.counts()).every(({ ready, running: runs }) => ready.count + runs.count === 0),
  );
  expect(attempts).toEqual([1]);
  clock.advance('61s');
  await new Retrier(queue.engine).runOnce();
  expect(await bench.untilJobIs(failedOnce, 'succeeded')).toMatchObject({
    attempt: 2,
    failures: 1,
    result: { said: HARD },
    progress: { at: HARD },
  });
  expect(attempts).toEqual([1, 2]);
  expect(texts).toHaveLength(492);
  expect(new Set(texts).size).toBe(123);
  await bench.stopWorkers();
}

/** To the millisecond, and neither before nor after. */
async function delaying(bench: Workbench): Promise<void> {
  const { queue, clock } = bench;
  const runAt = new Date((await databaseTime(bench)) + 30 * 24 * HOUR);
  const { id } = await queue.enqueue(plain, { text: 'at' }, { runAt });
  const retrier = new Retrier(queue.engine);
  clock.advance(+runAt - (await databaseTime(bench)) - 10_000);
  await retrier.runOnce();
  expect(await queue.find(id)).toMatchObject({ state: 'scheduled', runAt });
  clock.advance(10_000);
  await retrier.runOnce();
  expect(await queue.find(id)).toMatchObject({ state: 'ready', runAt });
  expect(await queue.cancel(id)).toBe('cancelled');
}

/** A worker that loses its lease, and what becomes of its job; a cancellation of one that runs. */
async function dying(bench: Workbench): Promise<void> {
  const { queue, clock } = bench;
  const first = heldHandler(held);
  const lost: string[] = [];
  const worker = await bench.work([first.handler], { lease: '30s' });
  worker.events.on('lost', ({ id }) => lost.push(id));
  const { id } = await queue.enqueue(held);
  await waitFor('it runs', () => first.runs.length === 1);
  await worker.stopClaiming();
  const reaper = new Reaper(queue.engine);
  expect(await reaper.runOnce()).toMatchObject({ returned: 0 });
  clock.advance('31s');
  const second = heldHandler(held);
  const heir = await bench.work([second.handler]);
  expect(await heir.reaper.runOnce()).toMatchObject({ returned: 1, workers: 1 });
  await waitFor('it runs again', () => second.runs.length === 1);
  first.runs[0]!.end();
  await waitFor('the first has lost its job', () => lost.length === 1);
  expect(await queue.cancel(id)).toBe('requested');
  await waitFor('the second is aborted', () => second.runs[0]!.job.signal.aborted);
  second.runs[0]!.fail(new Error('aborted'));
  await bench.untilJobIs(id, 'cancelled');
  await bench.stopWorkers();
}

/** By an interval, and by the time of day in a time zone that no machine here uses. */
async function recurring(bench: Workbench): Promise<void> {
  const { queue, clock } = bench;
  const scheduler = new Scheduler(queue.engine, queue.recurring, bench.logger);
  await queue.recurring.set('hourly', tick, HARD, { every: '1h' });
  await queue.recurring.set('daily', tick, 'daily', { cron: '30 9 * * *', timeZone: 'Asia/Kathmandu' });
  const [daily, hourly] = await queue.recurring.list();
  // 09:30 in Kathmandu is 03:45 in UTC.
  expect(+daily!.nextFireAt! % (24 * HOUR)).toBe(3.75 * HOUR);
  const present = await databaseTime(bench);
  expect(+hourly!.nextFireAt!).toBeLessThanOrEqual(present + HOUR);
  expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
  await queue.recurring.pause('daily');
  clock.advance(+hourly!.nextFireAt! - (await databaseTime(bench)));
  expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
  expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
  const job = (await bench.liveJobs()).find(({ name }) => name === 'tick');
  expect(job).toMatchObject({ runAt: +hourly!.nextFireAt!, payload: JSON.stringify(HARD) });
  await queue.recurring.remove('hourly');
  await queue.recurring.remove('daily');
}

/** For good, and back to ready; pausing and limits; finished jobs are pruned. */
async function failing(bench: Workbench): Promise<void> {
  const { queue } = bench;
  const { id } = await queue.enqueue(hopeless, 'never');
  await queue.control.limit('hopeless', { concurrency: 1 });
  let isHopeless = true;
  await bench.work([
    jobHandler(hopeless, () => {
      if (isHopeless) {
        throw new UnrecoverableJobError(HARD);
      }
    }),
    jobHandler(tick, () => undefined),
  ]);
  await bench.untilJobIs(id, 'failed');
  expect(await queue.failed.count()).toBe(1);
  expect((await queue.failed.list()).jobs).toMatchObject([{ id, name: 'hopeless' }]);
  isHopeless = false;
  expect(await queue.failed.retryMany({ queue: 'hopeless' })).toEqual({ retried: 1, conflicts: 0 });
  await bench.untilJobIs(id, 'succeeded');
  await queue.control.pause('hopeless');
  expect(await queue.control.list()).toMatchObject([{ queue: 'hopeless', concurrency: 1, pausedAt: expect.any(Date) }]);
  await queue.control.resume('hopeless');
  await bench.stopWorkers();
  bench.clock.advance('10d');
  const finished = (await bench.finishedJobs()).length;
  expect(await queue.prune('1d')).toBe(finished);
  expect(await bench.finishedJobs()).toEqual([]);
}

/** Several members and their callback. */
async function grouping(bench: Workbench): Promise<void> {
  const { queue } = bench;
  await bench.work([jobHandler(member, () => undefined), jobHandler(callback, () => undefined)]);
  const jobs = [1, 2, 3].map((payload) => ({ definition: member, payload }));
  const { id, onComplete } = await queue.groups.enqueue({ jobs, onComplete: { definition: callback } });
  await bench.untilJobIs(onComplete!, 'succeeded');
  expect(await queue.groups.find(id)).toMatchObject({ finishedAt: expect.any(Date) });
  await bench.stopWorkers();
}
