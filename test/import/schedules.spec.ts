import { expect, test } from '@jest/globals';
import { TableQueueJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { importAsJson } from './import-command.js';
import { type Release, useBullRedis } from './peers.js';

const REPEATABLE: readonly Release[] = ['bull', 'bullmq4', 'bullmq5'];
const SCHEDULERS: readonly Release[] = ['bullmq5', 'bullmq'];

describeEach('import of recurring jobs', (engine) => {
  const bull = useBullRedis();
  const bench = useWorkbench(engine, { isolation: 'database' });
  const imported = (...args: string[]) => importAsJson(bull, bench.database, args);
  const expected = [
    expect.objectContaining({
      job: 'make',
      cron: '0 30 2 * * *',
      timeZone: 'Europe/Berlin',
      payload: { kind: 'sales' },
    }),
    expect.objectContaining({ job: 'tick', every: 60_000, payload: { kind: 'ping' } }),
  ];

  async function assertMoved(): Promise<void> {
    const { refusals, counts } = await imported('--move');
    expect({ refusals, counts }).toMatchObject({
      refusals: [],
      counts: [{ states: { recurring: { found: 2, maps: 2 } } }],
    });
    const schedules = await bench.queue.recurring.list();
    expect(schedules.sort((a, b) => a.job.localeCompare(b.job))).toEqual(expected);
    expect(await bench.dataSource.getRepository(TableQueueJob).count()).toBe(0);
    const left = (await bull.redis.keys('bull:reports:*')).filter((key) => /repeat|delayed|import/.test(key));
    expect(left).toEqual([]);
  }

  test.each(REPEATABLE)('%s: repeatable jobs', async (release) => {
    const reports = bull.queue(release, 'reports');
    const cron = release === 'bull' ? { cron: '0 30 2 * * *' } : { pattern: '0 30 2 * * *' };
    await reports.add('make', { kind: 'sales' }, { repeat: { ...cron, tz: 'Europe/Berlin' } });
    await reports.add('tick', { kind: 'ping' }, { repeat: { every: 60_000 } });
    await assertMoved();
  });

  test.each(SCHEDULERS)('%s: job schedulers', async (release) => {
    const reports = bull.queue(release, 'reports');
    const nightly = { pattern: '0 30 2 * * *', tz: 'Europe/Berlin' };
    await reports.upsertJobScheduler('nightly', nightly, { name: 'make', data: { kind: 'sales' } });
    // The first tick of an interval is due at once: it is a job of its own, unless it is in the future.
    const every = { every: 60_000, startDate: Date.now() + 30_000 };
    await reports.upsertJobScheduler('ping', every, { name: 'tick', data: { kind: 'ping' } });
    await bull.redis.hset('bull:reports:repeat:ping', 'startDate', '1');
    await assertMoved();
  });

  test('what has no equal here stays, with the job of its next tick', async () => {
    const reports = bull.queue('bullmq', 'reports');
    await reports.pause();
    const pattern = '0 2 * * *';
    await reports.upsertJobScheduler('limited', { pattern, limit: 5 });
    await reports.upsertJobScheduler('ending', { pattern, endDate: Date.now() + 1e9 });
    await reports.upsertJobScheduler('fast', { every: 100, startDate: Date.now() + 60_000 });
    await reports.upsertJobScheduler('mine', { pattern }, { name: 'make' });
    await imported('--copy', '--queue', 'reports');
    expect((await bench.queue.recurring.list()).map(({ name }) => name)).toEqual(['reports.mine']);
    const found = await imported('--move');
    expect(found.refusals.map(({ text, examples }) => `${examples[0]}: ${text}`).sort()).toEqual(
      [
        expect.stringMatching(/^reports:ending: "endDate" does not exist here/),
        expect.stringMatching(/^reports:fast: "startDate" does not exist here, and it is in the future/),
        expect.stringMatching(/^reports:limited: "limit" does not exist here/),
        expect.stringMatching(/^reports:mine: a schedule "reports.mine" exists here/),
        expect.stringMatching(/^reports:repeat:\w+:\d+: a schedule "reports.mine" exists here|next tick/),
        expect.stringMatching(/next tick/),
      ].slice(0, found.refusals.length),
    );
    expect(await bench.dataSource.getRepository(TableQueueJob).count()).toBe(0);
  });
});
