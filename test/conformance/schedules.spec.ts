import { beforeAll, expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  InvalidPayloadError,
  type ScheduleOptions,
  UnknownOptionError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import { Scheduler, TableQueueSchedule } from '@tablequeue/typeorm/internal';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import {
  MINUTE,
  databaseTime,
  fired,
  nextTick,
  putClockTo,
  report,
  schedule,
  setSweep,
  sweep,
} from '../support/schedules.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

describeEach('schedules', (engine) => {
  const bench = useWorkbench(engine);
  let scheduler: Scheduler;
  beforeAll(async () => {
    scheduler = new Scheduler(bench.queue.engine, bench.queue.recurring, bench.logger);
  });

  test('paused, nothing is fired; resumed, nothing is made up for', async () => {
    const { recurring } = bench.queue;
    await setSweep(bench, { every: '1m', catchUp: 'all' });
    const tick = await nextTick(bench);
    expect(await recurring.pause('sweep')).toBe(true);
    const { pausedAt, nextFireAt } = await schedule(bench);
    expect([pausedAt, nextFireAt]).toEqual([expect.any(Date), undefined]);
    await putClockTo(bench, tick + 10 * MINUTE);
    expect(await recurring.pause('sweep')).toBe(true);
    await setSweep(bench, { every: '5m', catchUp: 'all' });
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    expect(await schedule(bench)).toMatchObject({ pausedAt, nextFireAt: undefined, every: 5 * MINUTE });
    expect(await recurring.resume('sweep')).toBe(true);
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    const resumed = await schedule(bench);
    expect(resumed.pausedAt).toBeUndefined();
    expect(+resumed.nextFireAt! - (await databaseTime(bench))).toBeGreaterThan(4 * MINUTE);
    await recurring.resume('sweep');
    expect(await schedule(bench)).toEqual(resumed);
    expect(await Promise.all([recurring.pause('no'), recurring.resume('no'), recurring.remove('no')])).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('setting again what is there changes nothing; other ticks begin with another timing only', async () => {
    const stored = async () => (await bench.rows(TableQueueSchedule))[0]!;
    await setSweep(bench, { every: '1m' });
    const before = await stored();
    bench.clock.advance('10s');
    await setSweep(bench, { every: 60_000 });
    expect(await stored()).toEqual(before);
    await setSweep(bench, { every: '1m', priority: 7 });
    expect(await stored()).toMatchObject({ priority: 7, nextFireAt: before.nextFireAt });
    await setSweep(bench, { every: '1m', priority: 7, catchUp: 'none' });
    expect((await stored()).nextFireAt).toBe(before.nextFireAt);
    await setSweep(bench, { every: '2m' });
    expect(await stored()).toMatchObject({ priority: 0 });
    expect((await stored()).nextFireAt).toBeGreaterThan(before.nextFireAt! + MINUTE);
    await setSweep(bench, { cron: '  0 0  1 1 * ', timeZone: 'Asia/Tokyo' });
    const next = await nextTick(bench);
    expect(new Date(next).toISOString()).toMatch(/-12-31T15:00:00/);
    await setSweep(bench, { cron: '0 0 1 1 *', timeZone: 'Asia/Tokyo' });
    expect(await nextTick(bench)).toBe(next);
  });

  test('many processes that set the same schedule at the same time make one of it', async () => {
    await Promise.all(Array.from({ length: 8 }, () => setSweep(bench, { every: '1m' })));
    await Promise.all(Array.from({ length: 8 }, (_, index) => setSweep(bench, { every: '1m', priority: index })));
    expect(await bench.queue.recurring.list()).toHaveLength(1);
  });

  test('fireNow enqueues a job at once, also of a paused schedule, and does not change the ticks', async () => {
    const ran: string[] = [];
    await bench.work([jobHandler(sweep, (_payload, { id }) => void ran.push(id))], { pollInterval: '1h' });
    await setSweep(bench, { cron: '0 0 1 1 *' });
    const tick = await nextTick(bench);
    const job = await bench.queue.recurring.fireNow('sweep');
    await waitFor('it runs', () => ran.length === 1);
    expect(ran).toEqual([job!.id]);
    expect(await schedule(bench)).toMatchObject({ lastJobId: job!.id, nextFireAt: new Date(tick) });
    await bench.queue.recurring.pause('sweep');
    expect(await bench.queue.recurring.fireNow('sweep')).toEqual({ id: expect.any(String) });
    expect(await bench.queue.recurring.fireNow('no')).toBeUndefined();
  });

  test('a removed schedule does not fire any more; its jobs stay', async () => {
    await setSweep(bench, { every: '1m' });
    await putClockTo(bench, await nextTick(bench));
    await scheduler.runOnce();
    expect(await bench.queue.recurring.remove('sweep')).toBe(true);
    bench.clock.advance('1h');
    expect(await scheduler.runOnce()).toEqual({ fired: 0, skipped: 0 });
    expect(await bench.queue.recurring.list()).toEqual([]);
    expect(await fired(bench)).toHaveLength(1);
  });

  test('more schedules than are read at a time', async () => {
    for (let index = 0; index < 120; index++) {
      await bench.queue.recurring.set(`tenant:${index}`, sweep, undefined, { every: '1m' });
    }
    bench.clock.advance('70s');
    expect(await scheduler.runOnce()).toEqual({ fired: 120, skipped: 0 });
  });

  test('a schedule is read back as it was set', async () => {
    await bench.queue.recurring.set(
      'a',
      report,
      { kind: 'x' },
      { cron: '@daily', timeZone: 'Europe/Berlin', key: 'k' },
    );
    await setSweep(bench, { every: '90s', catchUp: 'all' });
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
        catchUp: 'latest',
        overlap: true,
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
      expect.objectContaining({ name: 'sweep', every: 90_000, cron: undefined, timeZone: undefined, catchUp: 'all' }),
    ]);
  });

  test('bad input is refused by name', async () => {
    const { recurring } = bench.queue;
    await expect(recurring.set('two words', sweep, undefined, { every: '1m' })).rejects.toThrow(InvalidNameError);
    await expect(recurring.pause('')).rejects.toThrow(InvalidNameError);
    await expect(recurring.set('x', undefined as never, undefined, { every: '1m' })).rejects.toThrow(/"definition"/);
    for (const [options, message] of [
      [{}, /"cron" is undefined.*Give either `cron` or `every`\./],
      [{ cron: '* * * * *', every: '1m' }, /"every" is '1m'.*Give either `cron` or `every`\./],
      [{ cron: '61 * * * *' }, /"cron" is '61 \* \* \* \*'.*minute: 61/],
      [{ cron: '* * * *' }, /"cron".*it has 4 fields/],
      [{ cron: '* * * * * * *' }, /"cron".*it has 7 fields/],
      [{ cron: '' }, /"cron".*it has 0 fields/],
      [{ cron: '@reboot' }, /"cron" is '@reboot'/],
      [{ cron: '2027-01-01T00:00:00Z' }, /"cron".*it has 1 field\)/],
      [{ cron: '0 0 31 2 *' }, /"cron".*no date matches/],
      [{ cron: 5 }, /"cron" is 5.*not an ASCII string/],
      [{ cron: `0 0 ${'1,'.repeat(150)}1 * *` }, /"cron".*longer than 255/],
      [{ cron: '@daily', timeZone: 'Europe/Bärlin' }, /"timeZone" is 'Europe\/Bärlin'.*IANA/],
      [{ cron: '@daily', timeZone: '+02:00' }, /"timeZone" is '\+02:00'/],
      [{ cron: '@daily', timeZone: '' }, /"timeZone" is ''/],
      [{ every: '1m', timeZone: 'UTC' }, /"timeZone".*left out/],
      [{ every: '500ms' }, /"every" is '500ms'.*at least 1000 ms and at most 365 days/],
      [{ every: 'often' }, /"every" is 'often'/],
      [{ every: '1m', catchUp: 'some' }, /"catchUp" is 'some'.*'none', 'latest' or 'all'/],
      [{ every: '1m', overlap: 1 }, /"overlap" is 1/],
      [{ every: '1m', overlap: false, catchUp: 'all' }, /"overlap" is false.*true with `catchUp: 'all'`/],
      [{ every: '1m', priority: 501 }, /"priority" is 501/],
    ] as const) {
      const refused = setSweep(bench, options as ScheduleOptions);
      await expect(refused).rejects.toThrow(InvalidOptionError);
      await expect(refused).rejects.toThrow(message);
    }
    await expect(setSweep(bench, { every: '1m', key: ' ' })).rejects.toThrow(InvalidNameError);
    await expect(setSweep(bench, { every: '1m', tz: 'UTC' } as never)).rejects.toThrow(UnknownOptionError);
    const checked = defineJob('checked', { schema: z.object({ to: z.email() }) });
    await expect(recurring.set('x', checked, { to: 'nobody' }, { every: '1m' })).rejects.toThrow(InvalidPayloadError);
    expect(await recurring.list()).toEqual([]);
  });
});
