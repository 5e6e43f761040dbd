import { beforeEach, describe, expect, test } from '@jest/globals';
import { TableQueue, TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';
import { Reaper, Retrier, Scheduler } from '@tablequeue/typeorm/internal';
import { TestingQueue } from '@tablequeue/typeorm/testing';

import { describeEach } from '../support/each-engine.js';
import { schedule, setSweep, sweep } from '../support/schedules.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const mail = defineJob<number>('mail', { queue: 'mail' });
const ofTenant = { payload: 1, tenant: 'a' };

describeEach("when the database's clock jumps", (engine) => {
  const bench = useWorkbench(engine);
  /** The clock of the server, which may go back, unlike a `TestingClock`. */
  const clock = { shift: 0 };
  let queue: TableQueue;
  beforeEach(() => {
    clock.shift = 0;
    queue = new TableQueue(bench.dataSource, { clock });
  });

  /** How far ahead the next tick of the schedule is, in ms. */
  const nextSweep = async () => (await schedule(bench, 'sweep')).nextFireAt!.getTime() - Date.now();

  test.each([DAY, -DAY])('by %i ms and back, maintenance goes on at once', async (jump) => {
    const retrier = new Retrier(queue.engine);
    const isLeader = async () => (await retrier.runIfDue(HOUR)) !== undefined;
    expect([await isLeader(), await isLeader()]).toEqual([true, false]);
    clock.shift = jump;
    expect([await isLeader(), await isLeader()]).toEqual([true, false]);
    clock.shift = 0;
    expect([await isLeader(), await isLeader()]).toEqual([true, false]);
  });

  test.each(['the process that saw it', 'a process that starts later'])(
    'ahead and back, %s lets schedules go on',
    async (process) => {
      await setSweep(bench, { every: '10m' });
      await queue.recurring.set('nightly', sweep, undefined, { cron: '0 * * * *' });
      const newScheduler = () => new Scheduler(queue.engine, queue.recurring, bench.logger);
      const first = newScheduler();
      await first.runOnce();
      clock.shift = DAY;
      expect(await first.runOnce()).toMatchObject({ fired: 2 });
      clock.shift = 0;
      await (process === 'the process that saw it' ? first : newScheduler()).runOnce();
      for (const [name, interval] of [
        ['sweep', HOUR / 6],
        ['nightly', HOUR],
      ] as const) {
        const { nextFireAt } = await schedule(bench, name);
        expect(nextFireAt!.getTime() - Date.now()).toBeLessThanOrEqual(interval + 1_000);
      }
      expect(bench.logger.lines).toEqual([expect.stringContaining('The next ticks of 2 schedules were recalculated')]);
    },
  );

  test('a process that fires schedules while the clock goes back soon calculates them again', async () => {
    await setSweep(bench, { every: '10m' });
    const scheduler = new Scheduler(queue.engine, queue.recurring, bench.logger, () => (clock.shift = 0));
    await scheduler.runOnce();
    clock.shift = DAY;
    expect(await scheduler.runOnce()).toMatchObject({ fired: 1 });
    expect(scheduler.nextRunIn).toBeLessThan(HOUR / 6);
    await scheduler.runOnce();
    expect(await nextSweep()).toBeLessThanOrEqual(HOUR / 6 + 1_000);
  });

  test('schedules go on if the only process that saw the clock ahead is gone', async () => {
    await setSweep(bench, { every: '10m' });
    const other = new Scheduler(queue.engine, queue.recurring, bench.logger);
    await other.runIfDue(HOUR);
    clock.shift = DAY;
    expect(await new Scheduler(queue.engine, queue.recurring, bench.logger).runOnce()).toMatchObject({ fired: 1 });
    clock.shift = 0;
    await other.runIfDue(HOUR);
    expect(await nextSweep()).toBeGreaterThan(HOUR);
    await other.runIfDue(0);
    expect(await nextSweep()).toBeLessThanOrEqual(HOUR / 6 + 1_000);
  });

  test('schedules that were set while the clock was ahead fire on time when it is back', async () => {
    const scheduler = new Scheduler(queue.engine, queue.recurring, bench.logger);
    await scheduler.runOnce();
    clock.shift = DAY;
    await queue.recurring.set('nightly', sweep, undefined, { cron: '0 * * * *' });
    await scheduler.runOnce();
    clock.shift = 0;
    await scheduler.runOnce();
    expect((await schedule(bench, 'nightly')).nextFireAt!.getTime() - Date.now()).toBeLessThanOrEqual(HOUR + 1_000);
  });

  describe.each(['rate', 'ratePerTenant'] as const)('by a day and back, %s', (limit) => {
    test.each([DAY, -DAY])('neither stops nor admits more than its burst (%i ms)', async (jump) => {
      await queue.control.limit('mail', { [limit]: { jobs: 1, per: '1m', burst: 3 } });
      await queue.enqueueMany(
        mail,
        Array.from({ length: 40 }, () => ofTenant),
      );
      const handler = jobHandler(mail, () => undefined);
      const started = async () => (await new TestingQueue(queue, [handler], { logger: bench.logger }).drain()).length;
      expect(await started()).toBe(3);
      for (const shift of [jump, 0]) {
        const isAhead = shift > clock.shift;
        clock.shift = shift;
        // Ahead, a day has passed by the clock that counts; back, it is not known how much has.
        expect(await started()).toBe(isAhead ? 3 : 0);
        for (let minutes = 0; minutes < 5; minutes++) {
          clock.shift += MINUTE;
          expect(await started()).toBe(1);
        }
      }
    });

    test('goes on after a clock that was ahead for the only claim', async () => {
      clock.shift = DAY;
      await queue.control.limit('mail', { [limit]: { jobs: 1, per: '1m' } });
      await queue.enqueueMany(
        mail,
        Array.from({ length: 4 }, () => ofTenant),
      );
      let run = 0;
      const handler = jobHandler(mail, () => void run++);
      const worker = new TableQueueWorker(queue, [handler], { logger: bench.logger, pollInterval: '20ms' });
      await worker.start();
      try {
        await waitFor('one has run', () => run === 1);
        clock.shift = 0;
        // Whether the worker has seen it is not known: it corrects the limit when it does.
        await waitFor('it goes on', () => {
          clock.shift += 10_000;
          return run === 2;
        });
      } finally {
        await worker.stop();
      }
    });
  });

  test('a lease from the time when the clock was ahead ends after its time', async () => {
    const worker = await bench.startProcess({ maintenance: false });
    await bench.dataSource.query('UPDATE tq_worker SET seen_at = seen_at + ?, lease_until = lease_until + ?', [
      DAY,
      DAY,
    ]);
    await worker.child.end('SIGKILL');
    const reaper = new Reaper(queue.engine);
    expect(await reaper.runOnce()).toMatchObject({ workers: 0 });
    clock.shift = HOUR;
    expect(await reaper.runOnce()).toMatchObject({ workers: 1 });
  });

  test('a task whose row was deleted runs again', async () => {
    const retrier = new Retrier(queue.engine);
    await retrier.runIfDue(HOUR);
    await bench.dataSource.query('DELETE FROM tq_maintenance');
    expect(await retrier.runIfDue(HOUR)).toBeDefined();
  });
});
