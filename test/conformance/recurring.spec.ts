import { beforeAll, expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';
import { Scheduler } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import {
  MINUTE,
  fired,
  missSince,
  nextTick,
  putClockTo,
  report,
  schedule,
  setSweep,
  sweep,
} from '../support/schedules.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

describeEach('the ticks of schedules', (engine) => {
  const bench = useWorkbench(engine);
  let scheduler: Scheduler;
  beforeAll(async () => {
    scheduler = new Scheduler(bench.queue.engine, bench.queue.recurring, bench.logger);
  });

  test('a tick enqueues a job with all options of the schedule', async () => {
    await bench.queue.recurring.set('reports', report, { kind: 'daily' }, { every: '1h', priority: -3, key: 'r' });
    const { nextFireAt } = await schedule(bench, 'reports');
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    await putClockTo(bench, nextFireAt!.getTime() - MINUTE);
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    await putClockTo(bench, nextFireAt!.getTime());
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    const [job] = await bench.queue.findByKey('r');
    expect(job).toMatchObject({ name: 'report', queue: 'reports', state: 'ready', priority: -3, runAt: nextFireAt });
    expect(job!.payload).toEqual({ kind: 'daily' });
    expect(await schedule(bench, 'reports')).toMatchObject({
      lastFireAt: nextFireAt,
      lastJobId: job!.id,
      nextFireAt: new Date(nextFireAt!.getTime() + 3_600_000),
      skipped: 0,
    });
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
  });

  test('a worker fires new schedules on time', async () => {
    const late: number[] = [];
    await bench.work(
      [jobHandler(sweep, (_payload, { runAt }) => void late.push(Date.now() + bench.clock.shift - +runAt))],
      {
        maintenance: {},
        pollInterval: '1h',
      },
    );
    await setSweep(bench, { every: '1s' });
    // What is late each time never comes to that.
    await waitFor('two ticks on time', () => late.length >= 2 && late.slice(-2).every((ms) => ms < 1000));
    expect(bench.logger.lines).toEqual([]);
  });

  test('schedulers that fire at the same time enqueue one job for each tick', async () => {
    await setSweep(bench, { every: '1m' });
    const first = await nextTick(bench);
    const workers = await Promise.all([1, 2, 3].map(() => bench.work([], {})));
    for (let round = 0; round < 25; round++) {
      await putClockTo(bench, first + round * MINUTE);
      await Promise.all(workers.map((worker) => worker.scheduler.runOnce()));
      // One of them has been too late, another perhaps too early.
      await scheduler.runOnce();
    }
    const ticks = await fired(bench);
    expect(ticks.slice(0, 25)).toEqual(Array.from({ length: 25 }, (_, index) => first + index * MINUTE));
    expect(new Set(ticks).size).toBe(ticks.length);
  });

  test('a tick whose job cannot be stored is not lost', async () => {
    await setSweep(bench, { every: '1h', key: 'k' });
    const tick = await nextTick(bench);
    await putClockTo(bench, tick);
    await bench.dataSource.query('ALTER TABLE tq_key RENAME TO tq_key_away');
    await expect(scheduler.runOnce()).rejects.toThrow(/tq_key/);
    expect(await schedule(bench)).toMatchObject({ lastFireAt: undefined, nextFireAt: new Date(tick) });
    await bench.dataSource.query('ALTER TABLE tq_key_away RENAME TO tq_key');
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect(await fired(bench)).toEqual([tick]);
  });

  test('a schedule that cannot be fired is reported and does not stop the others', async () => {
    await setSweep(bench, { cron: '* * * * *' });
    await bench.dataSource.query("UPDATE tq_schedule SET time_zone = 'Nowhere/Land', name = 'broken'");
    await setSweep(bench, { every: '1m' });
    await putClockTo(bench, (await nextTick(bench)) + MINUTE);
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect(bench.logger.lines).toEqual([expect.stringMatching(/^error The schedule "broken" could not be fired/)]);
    expect(scheduler.nextRunIn).toBeGreaterThan(1000);
  });

  test('a schedule whose job the database refuses is reported and does not stop the others', async () => {
    const refused = defineJob('refused');
    await bench.queue.recurring.set('refused', refused, undefined, { every: '1m' });
    await setSweep(bench, { every: '1m' });
    const refuse =
      engine === 'sqlite'
        ? "WHEN NEW.name = 'refused' BEGIN SELECT RAISE(ABORT, 'refused'); END"
        : "FOR EACH ROW SET NEW.state = IF(NEW.name = 'refused', NULL, NEW.state)";
    await bench.dataSource.query(`CREATE TRIGGER refuse BEFORE INSERT ON tq_job ${refuse}`);
    await putClockTo(bench, (await nextTick(bench)) + MINUTE);
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect(bench.logger.lines).toEqual([expect.stringMatching(/^error The schedule "refused" could not be fired/)]);
    await bench.dataSource.query('DROP TRIGGER refuse');
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect((await bench.liveJobs()).map(({ name }) => name).sort()).toEqual(['refused', 'sweep']);
  });

  test('missed ticks: the latest is made up for, by default', async () => {
    await setSweep(bench, { every: '1m' });
    const first = await missSince(bench, 100, MINUTE);
    await putClockTo(bench, first + 100 * MINUTE - 30_000);
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect(await fired(bench)).toEqual([first + 99 * MINUTE]);
    expect(await nextTick(bench)).toBe(first + 100 * MINUTE);
  });

  test('missed ticks: all of them', async () => {
    await setSweep(bench, { every: '1m', catchUp: 'all' });
    const first = await missSince(bench, 1000, MINUTE);
    await putClockTo(bench, first + 1000 * MINUTE - 30_000);
    expect(await scheduler.runOnce()).toEqual({ fired: 1000, skipped: 0 });
    expect(await fired(bench)).toEqual(Array.from({ length: 1000 }, (_, index) => first + index * MINUTE));
    expect(await nextTick(bench)).toBe(first + 1000 * MINUTE);
    expect(bench.logger.lines).toEqual([]);
  });

  test('missed ticks: no more than the latest 1,000, with a warning', async () => {
    await setSweep(bench, { every: '1m', catchUp: 'all' });
    const first = await missSince(bench, 1200, MINUTE);
    await putClockTo(bench, first + 1200 * MINUTE - 30_000);
    expect(await scheduler.runOnce()).toEqual({ fired: 1000, skipped: 1 });
    expect((await fired(bench))[0]).toBe(first + 200 * MINUTE);
    expect(await schedule(bench)).toMatchObject({ skipped: 1, lastSkippedAt: new Date(first + 199 * MINUTE) });
    expect(bench.logger.lines).toEqual([
      expect.stringMatching(/^warn The schedule "sweep" missed more than 1000 ticks\./),
    ]);
  });

  test('missed ticks: none, but one that is a little late is not missed', async () => {
    await setSweep(bench, { every: '1h', catchUp: 'none' });
    const tick = await nextTick(bench);
    await putClockTo(bench, tick + 30_000);
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    await putClockTo(bench, tick + 3_600_000 + 2 * MINUTE);
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 1 });
    expect(await fired(bench)).toEqual([tick]);
    expect(await schedule(bench)).toMatchObject({
      lastFireAt: new Date(tick),
      nextFireAt: new Date(tick + 2 * 3_600_000),
      skipped: 1,
      lastSkippedAt: new Date(tick + 3_600_000),
    });
  });

  test('a cron expression is read in its time zone, over both changes of the clocks', async () => {
    await setSweep(bench, { cron: '30 2 * * *', timeZone: 'Europe/Berlin', catchUp: 'all' });
    for (const [from, to, expected] of [
      ['2086-03-30T12:00Z', '2086-04-01T12:00Z', ['2086-03-31T01:00:00.000Z', '2086-04-01T00:30:00.000Z']],
      ['2086-10-26T12:00Z', '2086-10-28T12:00Z', ['2086-10-27T00:30:00.000Z', '2086-10-28T01:30:00.000Z']],
    ] as const) {
      await bench.queue.recurring.pause('sweep');
      await putClockTo(bench, Date.parse(from));
      await bench.queue.recurring.resume('sweep');
      await bench.dataSource.query('DELETE FROM tq_job');
      await putClockTo(bench, Date.parse(to));
      expect(await scheduler.runOnce()).toEqual({ fired: 2, skipped: 0 });
      expect((await fired(bench)).map((tick) => new Date(tick).toISOString())).toEqual(expected);
    }
  });

  test('with overlap: false no tick fires while the last job is live', async () => {
    const { runs, handler } = heldHandler(sweep);
    const worker = await bench.work([handler]);
    await setSweep(bench, { every: '1m', overlap: false });
    const tick = await nextTick(bench);
    await putClockTo(bench, tick);
    expect(await worker.scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    await waitFor('it runs', () => runs.length === 1);
    await putClockTo(bench, tick + MINUTE);
    expect(await worker.scheduler.runOnce()).toEqual({ fired: 0, skipped: 1 });
    expect(await bench.queue.recurring.fireNow('sweep')).toBeUndefined();
    const { lastJobId, ...rest } = await schedule(bench);
    expect(rest).toMatchObject({ skipped: 1, lastSkippedAt: new Date(tick + MINUTE), lastFireAt: new Date(tick) });
    runs[0]!.end();
    await bench.untilJobIs(lastJobId!, 'succeeded');
    await putClockTo(bench, tick + 2 * MINUTE);
    expect(await worker.scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    await waitFor('the next one runs', () => runs.length === 2);
    runs[1]!.end();
  });
});
