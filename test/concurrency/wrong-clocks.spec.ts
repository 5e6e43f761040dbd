import { expect, test } from '@jest/globals';
import {
  type JobHandler,
  TableQueue,
  type TableQueueJob,
  TableQueueWorker,
  defineJob,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';
import { TableQueueStep, TableQueueWorkerRow } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { countJob, sleepJob } from '../support/jobs.js';
import { databaseTime } from '../support/schedules.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { atWrongTime, withClock } from '../support/wrong-clock.js';

const HOURS = 3_600_000;
const CLOCKS = [{ by: 5 * HOURS }, { by: -5 * HOURS }, { by: 30 * HOURS, jumps: true }] as const;
const JOBS = 30;
/** A job is late when it waits for longer, in ms; one poll takes up to 1.5 s. */
const LATE = 6_000;

describeEach('machines whose clocks are hours off', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  const claimedAfter = ({ claimedAt, runAt }: TableQueueJob) => claimedAt - runAt;

  async function workerIds(): Promise<number[]> {
    const rows = await bench.rows(TableQueueWorkerRow);
    return rows.map(({ id }) => id).toSorted((a, b) => a - b);
  }

  function expectInTime(finished: readonly TableQueueJob[]): void {
    const waits = finished.map(claimedAfter);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...waits)).toBeLessThan(LATE);
  }

  test('processes of them run every job once, neither early nor late, and every tick', async () => {
    // Workers that run already would learn of it within 30 s.
    const queue = new TableQueue(bench.dataSource);
    await queue.recurring.set('often', countJob, -1, { every: '1s', catchUp: 'all' });
    const workers = await Promise.all(
      CLOCKS.map((clock) => bench.startProcess({ lease: '10s', pollInterval: '100ms' }, withClock(clock))),
    );
    const started = await databaseTime(bench);
    // The enqueuing process has a wrong clock too.
    for (let number = 0; number < JOBS; number++) {
      const { by } = CLOCKS[number % 2]!;
      const wait = (number % 10) * 300;
      const time = (await databaseTime(bench)) + wait;
      await atWrongTime(by, () =>
        queue.enqueue(countJob, number, number < JOBS / 2 ? { delay: wait } : { runAt: new Date(time) }),
      );
    }
    const idsBefore = await workerIds();
    const fired = await waitFor('all have run, and seven ticks', async () => {
      const finished = await bench.finishedJobs();
      const ticks = finished.filter(({ payload }) => payload === '-1');
      return (
        finished.length - ticks.length === JOBS && ticks.filter(({ runAt }) => runAt > started).length >= 7 && ticks
      );
    });
    await queue.recurring.remove('often');

    const finished = await bench.finishedJobs();
    expect(finished.every(({ attempt, state }) => attempt === 1 && state === 'succeeded')).toBe(true);
    expectInTime(finished.filter(({ runAt }) => runAt >= started));
    const runs = (await bench.dataSource.query('SELECT job FROM run WHERE job >= 0')) as { job: number }[];
    expect(runs.map(({ job }) => job).toSorted((a, b) => a - b)).toEqual(Array.from({ length: JOBS }, (_, job) => job));
    const times = fired.map(({ runAt }) => runAt).toSorted((a, b) => a - b);
    expect(times).toEqual(times.map((_, index) => times[0]! + index * 1000));
    // No worker was taken for dead, although leases of 5 s would have expired.
    expect(await workerIds()).toEqual(idsBefore);
    expect(workers.map(({ reported }) => reported.lost)).toEqual([undefined, undefined, undefined]);
  });

  test('a retry comes when its backoff is over, at any time on the clock of the worker', async () => {
    const flaky = defineJob('flaky', { retry: { attempts: 3, backoff: fixed('500ms') } });
    const failedAt: number[] = [];
    const handler: JobHandler = jobHandler(flaky, async (_payload, { attempt }) => {
      failedAt.push(await databaseTime(bench));
      if (attempt < 3) {
        throw new Error('not yet');
      }
    });
    for (const by of [5 * HOURS, -5 * HOURS]) {
      failedAt.length = 0;
      await atWrongTime(by, async () => {
        const queue = new TableQueue(bench.dataSource);
        const worker = new TableQueueWorker(queue, [handler], { logger: bench.logger });
        await worker.start();
        const { id } = await queue.enqueue(flaky);
        await queue.waitFor(id, { timeout: '15s' });
        await worker.stop();
      });
      const waits = failedAt.slice(1).map((time, index) => time - failedAt[index]!);
      expect(waits).toHaveLength(2);
      // With its jitter of a fifth.
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(390);
      expect(Math.max(...waits)).toBeLessThan(LATE);
    }
  });

  test('a durable job sleeps for its time, whichever process wakes it up', async () => {
    const pause = 1_500;
    await bench.queue.enqueueMany(
      sleepJob,
      Array.from({ length: JOBS }, () => ({ payload: pause })),
    );
    await Promise.all(
      CLOCKS.map((clock) => bench.startProcess({ concurrency: 5, pollInterval: '100ms' }, withClock(clock))),
    );
    await waitFor('all have ended', async () => (await bench.countFinished()) === JOBS);

    expect((await bench.finishedJobs()).every(({ attempt, failures }) => attempt === 2 && failures === 0)).toBe(true);
    const rows = await bench.rows(TableQueueStep);
    const ofKind = (kind: string, name: string) => rows.filter((row) => row.kind === kind && row.name === name);
    const sleeps = ofKind('sleep', 'sleep').map(({ jobId, dueAt }) => {
      const [before, after] = ['before', 'after'].map((name) =>
        ofKind('step', name).find((row) => row.jobId === jobId)!,
      );
      return { slept: dueAt! - before!.recordedAt, late: after!.recordedAt - dueAt! };
    });
    expect(sleeps).toHaveLength(JOBS);
    // The row of the step may be stored with the others, behind the beginning of the sleep.
    expect(Math.min(...sleeps.map(({ slept }) => slept))).toBeGreaterThanOrEqual(pause - 100);
    expect(Math.max(...sleeps.map(({ slept }) => slept))).toBeLessThan(LATE);
    expect(Math.min(...sleeps.map(({ late }) => late))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...sleeps.map(({ late }) => late))).toBeLessThan(LATE);
    const processes = new Set(rows.filter(({ kind }) => kind === 'step').map(({ value }) => value));
    expect(processes.size).toBeGreaterThan(1);
  });

  test('a job of the year 2100 is stored, waits, and runs in 2100', async () => {
    const runAt = new Date('2100-02-28T23:59:59.999Z');
    const { id } = await bench.queue.enqueue(countJob, 1, { runAt });
    await bench.queue.recurring.set('leap', countJob, 2, { cron: '0 0 1 3 *' });
    const present = await databaseTime(bench);
    bench.clock.advance(+runAt - present - 60_000);
    const worker = await bench.work([jobHandler(countJob, () => undefined)]);
    await worker.retrier.runOnce();
    expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled', runAt });
    bench.clock.advance('61s');
    await worker.retrier.runOnce();
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ runAt });
    await worker.scheduler.runOnce();
    const [{ nextFireAt } = {}] = await bench.queue.recurring.list();
    expect(nextFireAt).toEqual(new Date('2101-03-01T00:00:00Z'));
  });
});
