import { expect, test } from '@jest/globals';
import { InvalidOptionError, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import { Pruner, TableQueueAudit, TableQueueThroughput } from '@tablequeue/typeorm/internal';

import { describeOnOlderToo } from '../support/each-engine.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob<'ok' | 'once' | 'never'>('mail', {
  queue: 'mail',
  retry: { attempts: 2, backoff: fixed(0) },
});
const call = defineJob('call', { queue: 'partner' });

const MINUTE = 60_000;

describeOnOlderToo('throughput', (engine) => {
  const bench = useWorkbench(engine);

  const handlers = [
    jobHandler(mail, (payload, { attempt }) => {
      if (payload === 'never' || (payload === 'once' && attempt === 1)) {
        throw new Error('no');
      }
    }),
    jobHandler(call, () => undefined),
  ];

  /** Enqueues and runs jobs; the worker writes what it has counted when it stops. */
  async function run(payloads: readonly ('ok' | 'once' | 'never')[], calls = 0): Promise<void> {
    await bench.queue.enqueueMany(
      mail,
      payloads.map((payload) => ({ payload })),
    );
    await bench.queue.enqueueMany(
      call,
      Array.from({ length: calls }, () => ({})),
    );
    const worker = await bench.work(handlers);
    await waitFor('all have ended', () => bench.isEmpty());
    await worker.stop();
  }

  test('attempts are counted by queue, minute and outcome, of all workers together', async () => {
    await run(['ok', 'ok', 'once', 'never'], 3);
    await run(['ok']);
    const { points, width, takenAt } = await bench.queue.activity.throughput('hour');
    expect({ width, points: points.length }).toEqual({ width: MINUTE, points: 60 });
    expect(points.at(-1)!.at.getTime()).toBe(takenAt.getTime() - (takenAt.getTime() % MINUTE));
    const sums = (own: typeof points) => {
      return own.reduce(
        (sum, { succeeded, failed, retried }) => [sum[0]! + succeeded, sum[1]! + failed, sum[2]! + retried],
        [0, 0, 0],
      );
    };
    expect(sums(points)).toEqual([7, 1, 2]);
    expect(sums((await bench.queue.activity.throughput('hour', 'mail')).points)).toEqual([4, 1, 2]);
    const alone = await bench.queue.activity.throughput('day', 'partner');
    expect({ width: alone.width, points: alone.points.length }).toEqual({ width: 15 * MINUTE, points: 96 });
    expect(sums(alone.points)).toEqual([3, 0, 0]);
    expect(points[0]).toMatchObject({ succeeded: 0, latencyMean: undefined, latencyMax: undefined, runMax: undefined });
    expect(bench.logger.lines.filter((line) => line.includes('could not be written'))).toEqual([]);
  });

  test('latencies are measured by the clock of the database', async () => {
    // The database's clock is two days ahead of this process's from here on.
    bench.clock.advance('2d');
    await bench.queue.enqueueMany(mail, [{ payload: 'ok' }]);
    bench.clock.advance('90s');
    await run(['ok']);
    const row = (await bench.rows(TableQueueThroughput)).find(({ queue }) => queue === 'mail');
    expect(row).toMatchObject({ succeeded: 2 });
    expect(row!.latencyMax).toBeGreaterThanOrEqual(89_900);
    expect(row!.latencyMax).toBeLessThan(150_000);
    expect(row!.latencySum).toBeLessThan(2 * 150_000);
    expect(row!.runMax).toBeLessThan(60_000);
    const point = (await bench.queue.activity.throughput('hour')).points.find(({ succeeded }) => succeeded > 0)!;
    expect(point.latencyMean!).toBeLessThan(point.latencyMax!);
  });

  test('a worker stores the counts of ended jobs while it works; an idle one sends nothing', async () => {
    const worker = await bench.work(handlers);
    const written = await statementsOf({ engine: worker['engine'] } as never, () =>
      worker['services'].throughput.flush(),
    );
    expect(written).toEqual([]);
    expect(worker['services'].throughput['timer']).toBeUndefined();
    await bench.queue.enqueue(call);
    await waitFor('it has ended', async () => (await bench.countFinished()) === 1);
    // The row exists before the worker counts the job.
    await waitFor('it is counted', () => worker['services'].throughput['timer'] !== undefined);
    await waitFor('it is stored', async () => (await bench.rows(TableQueueThroughput)).length === 2, 30_000);
    expect(worker['services'].throughput['timer']).toBeUndefined();
  });

  test('processes that count at the same time lose nothing', async () => {
    const workers = await Promise.all(Array.from({ length: 4 }, () => bench.work(handlers)));
    await bench.queue.enqueueMany(
      call,
      Array.from({ length: 400 }, () => ({})),
    );
    await waitFor('all have ended', () => bench.isEmpty());
    await waitFor('all handlers have ended', () => workers.every(({ activeJobs }) => activeJobs === 0));
    await Promise.all(workers.map((worker) => worker['services'].throughput.flush()));
    const rows = await bench.rows(TableQueueThroughput);
    const sumOf = (name: string) => {
      return rows.filter(({ queue }) => queue === name).reduce((sum, { succeeded }) => sum + succeeded, 0);
    };
    expect([sumOf('partner'), sumOf('')]).toEqual([400, 400]);
    expect(bench.logger.lines).toEqual([]);
  });

  test('it is deleted after two days, and audit entries after their retention', async () => {
    await run(['ok']);
    await bench.queue.control.pause('other', { by: 'me' });
    const pruner = new Pruner(bench.queue.engine, { audit: { age: '3d' } });
    bench.clock.advance('48h');
    await pruner.runOnce();
    expect(await bench.rows(TableQueueThroughput)).toHaveLength(2);
    const { points } = await bench.queue.activity.throughput('day');
    expect(points.every(({ succeeded }) => succeeded === 0)).toBe(true);
    bench.clock.advance('2h');
    await pruner.runOnce();
    expect(await bench.rows(TableQueueThroughput)).toEqual([]);
    expect(await bench.rows(TableQueueAudit)).toHaveLength(1);
    bench.clock.advance('1d');
    await new Pruner(bench.queue.engine, { audit: false }).runOnce();
    expect(await bench.rows(TableQueueAudit)).toHaveLength(1);
    await pruner.runOnce();
    expect(await bench.rows(TableQueueAudit)).toEqual([]);
    await expect(bench.queue.activity.throughput('week' as 'day')).rejects.toThrow(InvalidOptionError);
  });
});
