import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  InvalidPayloadError,
  type Schedule,
  type ScheduleOptions,
  Scheduler,
  TableQueueSchedule,
  UnknownOptionError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

const report = defineJob<{ kind: string }>('report', { queue: 'reports' });
const sweep = defineJob('sweep');
const MINUTE = 60_000;

describeEach('schedules', (engine) => {
  let bench: Workbench;
  let scheduler: Scheduler;
  beforeAll(async () => {
    bench = await Workbench.open(engine);
    scheduler = new Scheduler(bench.queue.engine, bench.queue.recurring, bench.logger);
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  const setSweep = (options: ScheduleOptions) => bench.queue.recurring.set('sweep', sweep, undefined, options);

  async function schedule(name = 'sweep'): Promise<Schedule> {
    return (await bench.queue.recurring.list()).find((each) => each.name === name)!;
  }

  async function nextTick(): Promise<number> {
    return (await schedule()).nextFireAt!.getTime();
  }

  async function databaseTime(): Promise<number> {
    const [row] = await bench.dataSource.query(`SELECT ${bench.queue.engine.dialect.now} AS present`);
    return Number(row.present);
  }

  /** Puts the clock to a time, which has to be a later one. */
  async function putClockTo(time: number): Promise<void> {
    bench.clock.advance(time - (await databaseTime()));
  }

  /** Lets the next tick be in the past, as if nobody had been there since. */
  async function missSince(ticks: number, every: number): Promise<number> {
    const first = (await nextTick()) - ticks * every;
    await bench.dataSource.query('UPDATE tq_schedule SET next_fire_at = ?', [first]);
    return first;
  }

  /** The ticks whose jobs were enqueued, in ms. */
  async function fired(): Promise<number[]> {
    return (await bench.liveJobs()).map(({ runAt }) => runAt).sort((a, b) => a - b);
  }

  test('a tick enqueues a job with everything the schedule says', async () => {
    await bench.queue.recurring.set('reports', report, { kind: 'daily' }, { every: '1h', priority: -3, key: 'r' });
    const { nextFireAt } = await schedule('reports');
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    await putClockTo(nextFireAt!.getTime() - 1000);
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    await putClockTo(nextFireAt!.getTime());
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    const [job] = await bench.queue.findByKey('r');
    expect(job).toMatchObject({ name: 'report', queue: 'reports', state: 'ready', priority: -3, runAt: nextFireAt });
    expect(job!.payload).toEqual({ kind: 'daily' });
    expect(await schedule('reports')).toMatchObject({
      lastFireAt: nextFireAt,
      lastJobId: job!.id,
      nextFireAt: new Date(nextFireAt!.getTime() + 3_600_000),
      skipped: 0,
    });
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
  });

  test('a worker fires by itself, to the moment, what is set while it works', async () => {
    const late: number[] = [];
    await bench.work(
      [jobHandler(sweep, (_payload, { runAt }) => void late.push(Date.now() + bench.clock.shift - +runAt))],
      {
        maintenance: {},
        pollInterval: '1h',
      },
    );
    await setSweep({ every: '1s' });
    await waitFor('two ticks', () => late.length === 2);
    expect(Math.max(...late)).toBeLessThan(1000);
    expect(bench.logger.lines).toEqual([]);
  });

  test('however many fire at once, each tick has one job', async () => {
    await setSweep({ every: '1s' });
    const first = await nextTick();
    const workers = await Promise.all([1, 2, 3].map(() => bench.work([], {})));
    for (let round = 0; round < 25; round++) {
      await putClockTo(first + round * 1000);
      await Promise.all(workers.map((worker) => worker.scheduler.runOnce()));
      // One of them has been too late, another perhaps too early.
      await scheduler.runOnce();
    }
    const ticks = await fired();
    expect(ticks.slice(0, 25)).toEqual(Array.from({ length: 25 }, (_, index) => first + index * 1000));
    expect(new Set(ticks).size).toBe(ticks.length);
  });

  test('a tick whose job cannot be stored is not lost', async () => {
    await setSweep({ every: '1h', key: 'k' });
    const tick = await nextTick();
    await putClockTo(tick);
    await bench.dataSource.query('ALTER TABLE tq_key RENAME TO tq_key_away');
    await expect(scheduler.runOnce()).rejects.toThrow(/tq_key/);
    expect(await schedule()).toMatchObject({ lastFireAt: undefined, nextFireAt: new Date(tick) });
    await bench.dataSource.query('ALTER TABLE tq_key_away RENAME TO tq_key');
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect(await fired()).toEqual([tick]);
  });

  test('a schedule that cannot be fired is reported and does not stop the others', async () => {
    await setSweep({ cron: '* * * * *' });
    await bench.dataSource.query("UPDATE tq_schedule SET time_zone = 'Nowhere/Land', name = 'broken'");
    await setSweep({ every: '1m' });
    await putClockTo((await nextTick()) + MINUTE);
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect(bench.logger.lines).toEqual([expect.stringMatching(/^error The schedule "broken" could not be fired/)]);
    expect(scheduler.soon).toBeGreaterThan(1000);
  });

  test('a schedule whose job the database refuses is reported and does not stop the others', async () => {
    const refused = defineJob('refused');
    await bench.queue.recurring.set('refused', refused, undefined, { every: '1m' });
    await setSweep({ every: '1m' });
    const refuse =
      engine === 'sqlite'
        ? "WHEN NEW.name = 'refused' BEGIN SELECT RAISE(ABORT, 'refused'); END"
        : "FOR EACH ROW SET NEW.state = IF(NEW.name = 'refused', NULL, NEW.state)";
    await bench.dataSource.query(`CREATE TRIGGER refuse BEFORE INSERT ON tq_job ${refuse}`);
    await putClockTo((await nextTick()) + MINUTE);
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect(bench.logger.lines).toEqual([expect.stringMatching(/^error The schedule "refused" could not be fired/)]);
    await bench.dataSource.query('DROP TRIGGER refuse');
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect((await bench.liveJobs()).map(({ name }) => name).sort()).toEqual(['refused', 'sweep']);
  });

  test('missed ticks: the latest is made up for, by default', async () => {
    await setSweep({ every: '1m' });
    const first = await missSince(100, MINUTE);
    await putClockTo(first + 100 * MINUTE - 1000);
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    expect(await fired()).toEqual([first + 99 * MINUTE]);
    expect(await nextTick()).toBe(first + 100 * MINUTE);
  });

  test('missed ticks: all of them', async () => {
    await setSweep({ every: '1m', missed: 'all' });
    const first = await missSince(1000, MINUTE);
    await putClockTo(first + 1000 * MINUTE - 1000);
    expect(await scheduler.runOnce()).toEqual({ fired: 1000, skipped: 0 });
    expect(await fired()).toEqual(Array.from({ length: 1000 }, (_, index) => first + index * MINUTE));
    expect(await nextTick()).toBe(first + 1000 * MINUTE);
    expect(bench.logger.lines).toEqual([]);
  });

  test('missed ticks: no more than the latest 1,000, and it is said', async () => {
    await setSweep({ every: '1m', missed: 'all' });
    const first = await missSince(1200, MINUTE);
    await putClockTo(first + 1200 * MINUTE - 1000);
    expect(await scheduler.runOnce()).toEqual({ fired: 1000, skipped: 1 });
    expect((await fired())[0]).toBe(first + 200 * MINUTE);
    expect(await schedule()).toMatchObject({ skipped: 1, lastSkippedAt: new Date(first + 199 * MINUTE) });
    expect(bench.logger.lines).toEqual([expect.stringMatching(/^warn More than 1000 ticks of the schedule "sweep"/)]);
  });

  test('missed ticks: none, but one that is a little late is not missed', async () => {
    await setSweep({ every: '1h', missed: 'skip' });
    const tick = await nextTick();
    await putClockTo(tick + 30_000);
    expect(await scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    await putClockTo(tick + 3_600_000 + 2 * MINUTE);
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 1 });
    expect(await fired()).toEqual([tick]);
    expect(await schedule()).toMatchObject({
      lastFireAt: new Date(tick),
      nextFireAt: new Date(tick + 2 * 3_600_000),
      skipped: 1,
      lastSkippedAt: new Date(tick + 3_600_000),
    });
  });

  test('a cron expression is read in its time zone, over both changes of the clocks', async () => {
    await setSweep({ cron: '30 2 * * *', timeZone: 'Europe/Berlin', missed: 'all' });
    for (const [from, to, expected] of [
      ['2027-03-27T12:00Z', '2027-03-29T12:00Z', ['2027-03-28T01:00:00.000Z', '2027-03-29T00:30:00.000Z']],
      ['2027-10-30T12:00Z', '2027-11-01T12:00Z', ['2027-10-31T00:30:00.000Z', '2027-11-01T01:30:00.000Z']],
    ] as const) {
      await bench.queue.recurring.pause('sweep');
      await putClockTo(Date.parse(from));
      await bench.queue.recurring.resume('sweep');
      await bench.dataSource.query('DELETE FROM tq_job');
      await putClockTo(Date.parse(to));
      expect(await scheduler.runOnce()).toEqual({ fired: 2, skipped: 0 });
      expect((await fired()).map((tick) => new Date(tick).toISOString())).toEqual(expected);
    }
  });

  test('with noOverlap no tick fires while the last job is live', async () => {
    const { runs, handler } = heldHandler(sweep);
    const worker = await bench.work([handler]);
    await setSweep({ every: '1m', noOverlap: true });
    const tick = await nextTick();
    await putClockTo(tick);
    expect(await worker.scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    await waitFor('it runs', () => runs.length === 1);
    await putClockTo(tick + MINUTE);
    expect(await worker.scheduler.runOnce()).toEqual({ fired: 0, skipped: 1 });
    expect(await bench.queue.recurring.fireNow('sweep')).toBeUndefined();
    const { lastJobId, ...rest } = await schedule();
    expect(rest).toMatchObject({ skipped: 1, lastSkippedAt: new Date(tick + MINUTE), lastFireAt: new Date(tick) });
    runs[0]!.end();
    await bench.untilJobIs(lastJobId!, 'succeeded');
    await putClockTo(tick + 2 * MINUTE);
    expect(await worker.scheduler.runOnce()).toEqual({ fired: 1, skipped: 0 });
    await waitFor('the next one runs', () => runs.length === 2);
    runs[1]!.end();
  });

  test('paused, nothing is fired; resumed, nothing is made up for', async () => {
    const { recurring } = bench.queue;
    await setSweep({ every: '1m', missed: 'all' });
    const tick = await nextTick();
    expect(await recurring.pause('sweep')).toBe(true);
    const { pausedAt, nextFireAt } = await schedule();
    expect([pausedAt, nextFireAt]).toEqual([expect.any(Date), undefined]);
    await putClockTo(tick + 10 * MINUTE);
    expect(await recurring.pause('sweep')).toBe(true);
    await setSweep({ every: '5m', missed: 'all' });
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    expect(await schedule()).toMatchObject({ pausedAt, nextFireAt: undefined, every: 5 * MINUTE });
    expect(await recurring.resume('sweep')).toBe(true);
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    const resumed = await schedule();
    expect(resumed.pausedAt).toBeUndefined();
    expect(+resumed.nextFireAt! - (await databaseTime())).toBeGreaterThan(4 * MINUTE);
    await recurring.resume('sweep');
    expect(await schedule()).toEqual(resumed);
    expect(await Promise.all([recurring.pause('no'), recurring.resume('no'), recurring.remove('no')])).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('setting again what is there changes nothing; other ticks begin with another timing only', async () => {
    const stored = async () => (await bench.rows(TableQueueSchedule))[0]!;
    await setSweep({ every: '1m' });
    const before = await stored();
    bench.clock.advance('10s');
    await setSweep({ every: 60_000 });
    expect(await stored()).toEqual(before);
    await setSweep({ every: '1m', priority: 7 });
    expect(await stored()).toMatchObject({ priority: 7, nextFireAt: before.nextFireAt });
    await setSweep({ every: '1m', priority: 7, missed: 'skip' });
    expect((await stored()).nextFireAt).toBe(before.nextFireAt);
    await setSweep({ every: '2m' });
    expect(await stored()).toMatchObject({ priority: 0 });
    expect((await stored()).nextFireAt).toBeGreaterThan(before.nextFireAt! + MINUTE);
    await setSweep({ cron: '  0 0  1 1 * ', timeZone: 'Asia/Tokyo' });
    const next = await nextTick();
    expect(new Date(next).toISOString()).toMatch(/-12-31T15:00:00/);
    await setSweep({ cron: '0 0 1 1 *', timeZone: 'Asia/Tokyo' });
    expect(await nextTick()).toBe(next);
  });

  test('many processes that set the same schedule at the same time make one of it', async () => {
    await Promise.all(Array.from({ length: 8 }, () => setSweep({ every: '1m' })));
    await Promise.all(Array.from({ length: 8 }, (_, index) => setSweep({ every: '1m', priority: index })));
    expect(await bench.queue.recurring.list()).toHaveLength(1);
  });

  test('fireNow enqueues a job at once, also of a paused schedule, and leaves the ticks alone', async () => {
    const ran: string[] = [];
    await bench.work([jobHandler(sweep, (_payload, { id }) => void ran.push(id))], { pollInterval: '1h' });
    await setSweep({ cron: '0 0 1 1 *' });
    const tick = await nextTick();
    const job = await bench.queue.recurring.fireNow('sweep');
    await waitFor('it runs', () => ran.length === 1);
    expect(ran).toEqual([job!.id]);
    expect(await schedule()).toMatchObject({ lastJobId: job!.id, nextFireAt: new Date(tick) });
    await bench.queue.recurring.pause('sweep');
    expect(await bench.queue.recurring.fireNow('sweep')).toEqual({ id: expect.any(String) });
    expect(await bench.queue.recurring.fireNow('no')).toBeUndefined();
  });

  test('what is removed fires no more; its jobs stay', async () => {
    await setSweep({ every: '1m' });
    await putClockTo(await nextTick());
    await scheduler.runOnce();
    expect(await bench.queue.recurring.remove('sweep')).toBe(true);
    bench.clock.advance('1h');
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    expect(await bench.queue.recurring.list()).toEqual([]);
    expect(await fired()).toHaveLength(1);
  });

  test('more schedules than are read at a time', async () => {
    for (let index = 0; index < 120; index++) {
      await bench.queue.recurring.set(`tenant:${index}`, sweep, undefined, { every: '1m' });
    }
    bench.clock.advance('70s');
    expect(await scheduler.runOnce()).toEqual({ fired: 120, skipped: 0 });
  });

  test('what is set can be read', async () => {
    await bench.queue.recurring.set(
      'a',
      report,
      { kind: 'x' },
      { cron: '@daily', timeZone: 'Europe/Berlin', key: 'k' },
    );
    await setSweep({ every: '90s', missed: 'all' });
    expect(await bench.queue.recurring.list()).toEqual([
      {
        name: 'a',
        job: 'report',
        queue: 'reports',
        payload: { kind: 'x' },
        payloadVersion: 1,
        cron: '@daily',
        timeZone: 'Europe/Berlin',
        every: undefined,
        missed: 'once',
        noOverlap: false,
        priority: 0,
        key: 'k',
        definedBy: 'api',
        pausedAt: undefined,
        nextFireAt: expect.any(Date),
        lastFireAt: undefined,
        lastJobId: undefined,
        skipped: 0,
        lastSkippedAt: undefined,
      },
      expect.objectContaining({ name: 'sweep', every: 90_000, cron: undefined, timeZone: undefined, missed: 'all' }),
    ]);
  });

  test('bad input is refused by name', async () => {
    const { recurring } = bench.queue;
    await expect(recurring.set('two words', sweep, undefined, { every: '1m' })).rejects.toThrow(InvalidNameError);
    await expect(recurring.pause('')).rejects.toThrow(InvalidNameError);
    await expect(recurring.set('x', undefined as never, undefined, { every: '1m' })).rejects.toThrow(/"definition"/);
    for (const [options, message] of [
      [{}, /"cron" is undefined.*where "every" is not/],
      [{ cron: '* * * * *', every: '1m' }, /"cron".*left out/],
      [{ cron: '61 * * * *' }, /"cron" is '61 \* \* \* \*'.*minute: 61/],
      [{ cron: '* * * *' }, /"cron".*it has 4 fields/],
      [{ cron: '* * * * * * *' }, /"cron".*it has 7 fields/],
      [{ cron: '' }, /"cron".*it has 0 fields/],
      [{ cron: '@reboot' }, /"cron" is '@reboot'/],
      [{ cron: '2027-01-01T00:00:00Z' }, /"cron".*it has 1 field\)/],
      [{ cron: '0 0 31 2 *' }, /"cron".*no such day/],
      [{ cron: 5 }, /"cron" is 5.*no ASCII text/],
      [{ cron: `0 0 ${'1,'.repeat(150)}1 * *` }, /"cron".*longer than 255/],
      [{ cron: '@daily', timeZone: 'Europe/Bärlin' }, /"timeZone" is 'Europe\/Bärlin'.*IANA/],
      [{ cron: '@daily', timeZone: '+02:00' }, /"timeZone" is '\+02:00'/],
      [{ cron: '@daily', timeZone: '' }, /"timeZone" is ''/],
      [{ every: '1m', timeZone: 'UTC' }, /"timeZone".*left out/],
      [{ every: '500ms' }, /"every" is '500ms'.*at least 1000 ms and at most 365 days/],
      [{ every: 'often' }, /"every" is 'often'/],
      [{ every: '1m', missed: 'some' }, /"missed" is 'some'.*'skip', 'once' or 'all'/],
      [{ every: '1m', noOverlap: 1 }, /"noOverlap" is 1/],
      [{ every: '1m', noOverlap: true, missed: 'all' }, /"noOverlap" is true.*left out/],
      [{ every: '1m', priority: 501 }, /"priority" is 501/],
    ] as const) {
      const refused = setSweep(options as ScheduleOptions);
      await expect(refused).rejects.toThrow(InvalidOptionError);
      await expect(refused).rejects.toThrow(message);
    }
    await expect(setSweep({ every: '1m', key: ' ' })).rejects.toThrow(InvalidNameError);
    await expect(setSweep({ every: '1m', tz: 'UTC' } as never)).rejects.toThrow(UnknownOptionError);
    const checked = defineJob('checked', { schema: z.object({ to: z.email() }) });
    await expect(recurring.set('x', checked, { to: 'nobody' }, { every: '1m' })).rejects.toThrow(InvalidPayloadError);
    expect(await recurring.list()).toEqual([]);
  });
});
