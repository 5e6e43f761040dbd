import { beforeEach, expect, test } from '@jest/globals';
import { TableQueue, TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';
import { Reaper, Retrier, Scheduler } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { schedule, setSweep, sweep } from '../support/schedules.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const mail = defineJob<number>('mail', { queue: 'mail' });

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

  test.each([DAY, -DAY])('by %i ms and back, a rate limit admits its jobs in each window', async (jump) => {
    await queue.control.limit('mail', { rate: { jobs: 2, per: '1m' } });
    const run: number[] = [];
    const handler = jobHandler(mail, (number) => void run.push(number));
    const worker = new TableQueueWorker(queue, [handler], { logger: bench.logger, pollInterval: '20ms' });
    await worker.start();
    try {
      for (const shift of [0, jump, 0]) {
        clock.shift = shift;
        run.length = 0;
        await queue.enqueueMany(mail, [{ payload: 1 }, { payload: 2 }]);
        await waitFor('the window of this time admits two jobs', () => run.length === 2);
      }
    } finally {
      await worker.stop();
    }
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
