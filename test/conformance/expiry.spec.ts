import { expect, test } from '@jest/globals';
import {
  ChildExpiredError,
  InvalidOptionError,
  JobExpiredError,
  SnoozeJobError,
  TableQueue,
  TableQueueJob,
  child,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import { Reaper, Retrier, TableQueueExpiry, TableQueueMember, TableQueueUnique } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const code = defineJob<number>('code', { queue: 'codes', expiresIn: '1m', retry: { attempts: 3, backoff: () => 0 } });
const plain = defineJob<number>('plain', { queue: 'codes' });
const ordered = defineJob<number>('ordered', { queue: 'codes', expiresIn: '1m', order: { by: () => 'one' } });

describeEach('jobs with a limit', (engine) => {
  const bench = useWorkbench(engine);
  const later = (milliseconds: number) => bench.clock.advance(milliseconds);
  const reap = () => new Reaper(bench.queue.engine).runOnce();
  const stateOf = async (id: string) => (await bench.queue.find(id))?.state;
  const ran: number[] = [];
  const runs = (definition: typeof code) => jobHandler(definition, (number) => void ran.push(number));
  const work = () => {
    ran.length = 0;
    return bench.work([runs(code), runs(plain), runs(ordered)]);
  };

  test('a job that has not started in time never runs, and the jobs behind it do', async () => {
    const late = await bench.queue.enqueue(code, 1);
    const other = await bench.queue.enqueue(code, 2, { expiresIn: '2m' });
    const last = await bench.queue.enqueue(plain, 3);
    later(MINUTE);
    const events: string[] = [];
    const worker = bench.worker([runs(code), runs(plain)]);
    ran.length = 0;
    worker.events.on('expired', ({ id, name, queue, attempt }) => events.push(`${id} ${name} ${queue} ${attempt}`));
    await worker.start();
    await waitFor('the others have run', () => bench.isEmpty());
    expect(ran.sort((a, b) => a - b)).toEqual([2, 3]);
    expect([await stateOf(late.id), await stateOf(other.id), await stateOf(last.id)]).toEqual([
      'expired',
      'succeeded',
      'succeeded',
    ]);
    expect(events).toEqual([`${late.id} code codes 0`]);
    const { expiresAt, runAt } = (await bench.queue.find(late.id))!;
    expect(expiresAt!.getTime() - runAt.getTime()).toBe(MINUTE);
    expect(await bench.queue.find(other.id)).toMatchObject({ expiresAt: undefined });
    await expect(bench.queue.waitFor(late.id)).rejects.toThrow(JobExpiredError);
  });

  test('hundreds of expired jobs in front do not keep a worker from the job behind them', async () => {
    await bench.queue.enqueueMany(
      code,
      Array.from({ length: 1_000 }, (_, index) => ({ payload: index })),
    );
    later(MINUTE);
    await bench.queue.enqueue(code, -1);
    await work();
    await waitFor('all have ended', () => bench.isEmpty());
    expect(ran).toEqual([-1]);
    expect(await bench.dataSource.getRepository(TableQueueJob).countBy({ state: 'expired' })).toBe(1_000);
    expect(await bench.rows(TableQueueExpiry)).toHaveLength(1);
  });

  test('jobs of tenants expire in front of those behind them', async () => {
    for (const tenant of ['a', 'b']) {
      await bench.queue.enqueueMany(
        code,
        Array.from({ length: 300 }, () => ({ payload: 0, tenant })),
      );
    }
    later(MINUTE);
    await bench.queue.enqueue(code, 1, { tenant: 'a' });
    await bench.queue.enqueue(code, 2, { tenant: 'b' });
    await work();
    await waitFor('all have ended', () => bench.isEmpty());
    expect(ran.sort((a, b) => a - b)).toEqual([1, 2]);
  });

  test('the reaper ends jobs that no worker claims: paused, scheduled, behind a head, or without a worker', async () => {
    await bench.queue.control.pause('codes');
    const ids = [
      (await bench.queue.enqueue(code, 1)).id,
      (await bench.queue.enqueue(code, 2, { delay: '30s' })).id,
      (await bench.queue.enqueue(ordered, 3)).id,
      (await bench.queue.enqueue(ordered, 4)).id,
    ];
    expect(await reap()).toMatchObject({ expired: 0 });
    later(MINUTE);
    expect(await reap()).toMatchObject({ expired: 3 });
    expect(await Promise.all(ids.map(stateOf))).toEqual(['expired', 'scheduled', 'expired', 'expired']);
    await new Retrier(bench.queue.engine).runOnce();
    later(30_000);
    expect(await reap()).toMatchObject({ expired: 1 });
    expect(await bench.rows(TableQueueExpiry)).toEqual([]);
    expect(await reap()).toMatchObject({ expired: 0 });
  });

  test('the time counts from when the job is due, or is stored if that is later', async () => {
    const at = (shift: number) => ({ runAt: new Date(Date.now() + shift) });
    const ids = [
      await bench.queue.enqueue(code, 1, { delay: '1h' }),
      await bench.queue.enqueue(code, 2, at(60 * MINUTE)),
      await bench.queue.enqueue(code, 3, at(-60 * MINUTE)),
    ].map(({ id }) => id);
    const rows = await bench.rows(TableQueueJob);
    const limits = new Map(rows.map(({ id, expiresAt, runAt, createdAt }) => [id, { expiresAt, runAt, createdAt }]));
    const [delayed, planned, past] = ids.map((id) => limits.get(id)!);
    expect(delayed!.expiresAt! - delayed!.runAt).toBe(MINUTE);
    expect(planned!.expiresAt! - planned!.runAt).toBe(MINUTE);
    expect(past!.expiresAt! - past!.createdAt).toBe(MINUTE);
    const checks = (await bench.rows(TableQueueExpiry)).map(({ jobId, checkAt }) => [jobId, checkAt] as const);
    expect(new Map(checks)).toEqual(new Map(rows.map((row) => [row.id, row.expiresAt!])));
  });

  test('a job that has started has no limit: not while it runs, nor for retries and snoozes', async () => {
    const outcomes: string[] = [];
    await bench.work(
      [
        jobHandler(code, async (number, { attempt }) => {
          outcomes.push(`${number} ${attempt}`);
          if (attempt === 1) {
            later(2 * MINUTE);
            expect(await reap()).toMatchObject({ expired: 0 });
            throw number === 1 ? new Error('once') : new SnoozeJobError('1ms');
          }
        }),
      ],
      { lease: '1h' },
    );
    await bench.queue.enqueue(code, 1);
    await waitFor('the job has ended', () => bench.isEmpty());
    await bench.queue.enqueue(code, 2);
    await waitFor('the retrier has made it ready', async () => {
      await new Retrier(bench.queue.engine).runOnce();
      return bench.isEmpty();
    });
    expect(outcomes).toEqual(['1 1', '1 2', '2 1', '2 2']);
    later(2 * MINUTE);
    expect(await reap()).toMatchObject({ expired: 0 });
    expect(await bench.rows(TableQueueExpiry)).toEqual([]);
  });

  test('a job that a worker without its handler returns must still start in time', async () => {
    const { id } = await bench.queue.enqueue(code, 1);
    const worker = await bench.work([runs(plain)]);
    const unhandled: string[] = [];
    worker.events.on('unhandled', (job) => unhandled.push(job.id));
    await waitFor('it was claimed', () => unhandled.length > 0);
    await worker.stop();
    later(2 * MINUTE);
    expect(await reap()).toMatchObject({ expired: 1 });
    expect(await stateOf(id)).toBe('expired');
  });

  test('a retry by hand starts it without its limit', async () => {
    const { id } = await bench.queue.enqueue(code, 1);
    later(MINUTE);
    await reap();
    await bench.queue.failed.retry(id);
    later(10 * MINUTE);
    expect(await reap()).toMatchObject({ expired: 0 });
    await work();
    await bench.untilJobIs(id, 'succeeded');
    expect(ran).toEqual([1]);
  });

  test('it frees its unique key, and a replacement has a limit of its own', async () => {
    const unique = { key: 'k', while: 'unfinished', onConflict: 'replace' } as const;
    const first = await bench.queue.enqueue(code, 1, { unique });
    later(MINUTE / 2);
    expect(await bench.queue.enqueue(code, 2, { unique })).toMatchObject({ id: first.id, replaced: true });
    later(MINUTE / 2);
    expect(await reap()).toMatchObject({ expired: 0 });
    later(MINUTE / 2);
    expect(await reap()).toMatchObject({ expired: 1 });
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
    expect(await bench.queue.enqueue(code, 3, { unique })).toMatchObject({ created: true });
  });

  test('an enqueue with the key of an expired job ends that job and stores its own', async () => {
    const unique = { key: 'k', while: 'unfinished' } as const;
    const first = await bench.queue.enqueue(code, 1, { unique });
    expect(await bench.queue.enqueue(code, 2, { unique })).toMatchObject({ id: first.id, created: false });
    later(MINUTE);
    const second = await bench.queue.enqueue(code, 3, { unique: { ...unique, onConflict: 'throw' } });
    expect(second).toMatchObject({ created: true });
    expect(await bench.queue.find(first.id)).toMatchObject({ state: 'expired' });
    later(MINUTE);
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      expect(await bench.queue.enqueue(code, 4, { unique, manager })).toMatchObject({ created: true });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await bench.queue.find(second.id)).toMatchObject({ state: 'ready' });
    const [third, again] = await bench.dataSource.transaction((manager) =>
      bench.queue.enqueueMany(
        code,
        [{ payload: 5 }, { payload: 6 }].map((job) => ({ ...job, unique })),
        { manager },
      ),
    );
    expect([third, again]).toMatchObject([{ created: true }, { id: third?.id, created: false }]);
    expect(await bench.queue.find(second.id)).toMatchObject({ state: 'expired' });
    await work();
    await waitFor('it has run', () => bench.isEmpty());
    expect(ran).toEqual([5]);
  });

  test('a replacement without a limit has none', async () => {
    const unique = { key: 'k', while: 'unfinished', onConflict: 'replace' } as const;
    await bench.queue.enqueue(plain, 1, { unique, expiresIn: '1m' });
    await bench.queue.enqueue(plain, 2, { unique });
    later(10 * MINUTE);
    expect(await reap()).toMatchObject({ expired: 0 });
    expect(await bench.rows(TableQueueExpiry)).toEqual([]);
    await work();
    await waitFor('it has run', () => bench.isEmpty());
    expect(ran).toEqual([2]);
  });

  test('an expired member fails its group', async () => {
    const group = await bench.queue.groups.enqueue({
      jobs: [{ definition: code, payload: 1 }],
      onSuccess: { definition: plain, payload: 2 },
      onFailure: { definition: plain, payload: 3 },
      onComplete: { definition: code, payload: 4 },
    });
    later(MINUTE);
    expect(await reap()).toMatchObject({ expired: 1, triggered: 2 });
    expect(await bench.queue.groups.find(group.id)).toMatchObject({ expired: 1, failed: 0, cancelled: 0, pending: 0 });
    expect((await bench.rows(TableQueueMember)).map(({ outcome }) => outcome)).toEqual(['expired']);
    later(10 * MINUTE);
    // Callbacks have no limit.
    await work();
    await waitFor('the callbacks have run', () => bench.isEmpty());
    expect(ran.sort((a, b) => a - b)).toEqual([3, 4]);
    expect(await stateOf(group.onSuccess!)).toBe('cancelled');
  });

  test('the parent of an expired child gets an error of its own', async () => {
    const parent = defineJob('parent', { queue: 'parents' });
    const caught: unknown[] = [];
    const handler = jobHandler(parent, async (_payload, job) => {
      await job.run('first', child(code, 1)).catch((error: unknown) => {
        if (!(error instanceof ChildExpiredError)) {
          throw error;
        }
        caught.push(error.childId);
      });
      caught.push(await job.runAll('all', [child(code, 2)], { outcomes: true }));
    });
    const worker = await bench.work([handler], { lease: '1h' });
    const { id } = await bench.queue.enqueue(parent);
    const children: string[] = [];
    for (const call of ['first', 'all']) {
      const waiting = await waitFor(`${call} has started its child`, async () => {
        const row = (await bench.liveJobs()).find((job) => job.queue === 'codes');
        return (await stateOf(id)) === 'waiting' && row;
      });
      children.push(waiting.id);
      later(MINUTE);
      expect(await worker.reaper.runOnce()).toMatchObject({ expired: 1 });
    }
    await bench.untilJobIs(id, 'succeeded');
    expect(caught).toEqual([children[0], children[0], [{ id: children[1], state: 'expired' }]]);
  });

  test('jobs of a schedule have the limit of the definition', async () => {
    await bench.queue.recurring.set('codes', code, 1, { every: '1h' });
    expect(await bench.queue.recurring.list()).toMatchObject([{ expiresIn: MINUTE }]);
    const { id } = (await bench.queue.recurring.fireNow('codes'))!;
    later(MINUTE);
    await reap();
    expect(await stateOf(id)).toBe('expired');
  });

  test('it is counted, listed and pruned as an outcome', async () => {
    await bench.queue.enqueueMany(code, [{ payload: 1, key: 'k' }, { payload: 2 }]);
    later(MINUTE);
    await reap();
    const { jobs } = await bench.queue.jobs.list({ state: 'expired' });
    expect(jobs).toHaveLength(2);
    const { points } = await bench.queue.activity.throughput('hour');
    expect(points.map(({ expired }) => expired).reduce((a, b) => a + b)).toBe(2);
    later(MINUTE);
    expect(await bench.queue.prune('1s')).toBe(2);
    expect(await bench.rows(TableQueueExpiry)).toEqual([]);
  });

  test('jobs without a limit never touch its table', async () => {
    const unlimited = { expiresIn: undefined };
    await work();
    await bench.dataSource.query('ALTER TABLE tq_expiry RENAME TO away');
    try {
      await bench.queue.enqueue(plain, 1);
      await bench.queue.enqueueMany(plain, [
        { payload: 2, ...unlimited },
        { payload: 3, delay: '1h' },
      ]);
      await waitFor('they have run', () => ran.length === 2);
      await bench.queue.cancelMany({ queue: 'codes' });
    } finally {
      await bench.dataSource.query('ALTER TABLE away RENAME TO tq_expiry');
    }
    expect(bench.logger.lines).toEqual([]);
  });

  test('a clock that jumps ends jobs early or late, and loses none', async () => {
    const clock = { shift: 0 };
    const queue = new TableQueue(bench.dataSource, { clock });
    const reaper = new Reaper(queue.engine);
    const early = await queue.enqueue(code, 1);
    clock.shift = DAY;
    expect(await reaper.runOnce()).toMatchObject({ expired: 1 });
    const ahead = await queue.enqueue(code, 2);
    clock.shift = 0;
    expect(await reaper.runOnce()).toMatchObject({ expired: 0 });
    expect(await stateOf(ahead.id)).toBe('ready');
    clock.shift = DAY + MINUTE;
    expect(await reaper.runOnce()).toMatchObject({ expired: 1 });
    expect([await stateOf(early.id), await stateOf(ahead.id)]).toEqual(['expired', 'expired']);
  });

  test.each([0, -1, '0s', 'soon', Infinity])('refuses %p', async (expiresIn) => {
    await expect(bench.queue.enqueue(plain, 1, { expiresIn: expiresIn as number })).rejects.toThrow(InvalidOptionError);
    expect(() => defineJob('wrong', { expiresIn: expiresIn as number })).toThrow(InvalidOptionError);
  });
});
