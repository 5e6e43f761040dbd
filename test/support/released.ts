import { type JobHandler, UnrecoverableJobError, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import { Reaper, migrationStatements } from '@tablequeue/typeorm/internal';
import type { DataSource, QueryRunner } from 'typeorm';

import { waitFor } from './wait-for.js';
import type { Workbench } from './workbench.js';

/** The jobs that the frozen tables hold. */
export const step = defineJob<number>('step', { queue: 'steps', retry: { attempts: 3, backoff: fixed('1h') } });
export const held = defineJob<number>('held', { queue: 'held' });
export const paused = defineJob<number>('paused', { queue: 'paused' });
export const once = defineJob<number>('once', { queue: 'once' });
export const tick = defineJob<string>('tick', { queue: 'ticks' });
export const callback = defineJob('callback', { queue: 'callbacks' });

/** Payloads of steps that do not succeed at once. */
export const FAILS_FOR_GOOD = -1;
export const FAILS_ONCE = -2;

/** What a queue leaves that was killed in the middle of everything: rows in all tables, jobs in all states. */
export async function fill(bench: Workbench): Promise<void> {
  const { queue, dataSource } = bench;
  const hold: JobHandler = jobHandler(held, () => new Promise(() => undefined));
  await bench.work(
    [
      hold,
      jobHandler(step, (number, job) => {
        job.progress({ half: number });
        if (number < 0) {
          const error = number === FAILS_FOR_GOOD ? new UnrecoverableJobError('refused') : new Error('once');
          error.stack = `Error: ${error.message}`;
          throw error;
        }
        return { number };
      }),
    ],
    { shutdownTimeout: '1ms' },
  );
  await queue.enqueueMany(step, [
    { payload: 1, key: 'order:1', tenant: 'a', priority: -2 },
    { payload: FAILS_FOR_GOOD, key: 'order:2' },
    { payload: FAILS_ONCE, key: 'order:3', tenant: 'b' },
  ]);
  await queue.groups.enqueue({
    jobs: [
      { definition: step, payload: 10 },
      { definition: paused, payload: 11 },
    ],
    onComplete: { definition: callback },
  });
  const { id: cancelled } = await queue.enqueue(once, 1, { delay: '1h' });
  await queue.cancel(cancelled);
  await queue.enqueueMany(held, [{ payload: 1 }, { payload: 2, key: 'cancelled' }]);
  await queue.enqueue(once, 2, { delay: '1h', unique: { key: 'unfinished' } });
  await queue.enqueue(once, 3, { delay: '1h', unique: { key: 'queued', while: 'queued' } });
  await queue.enqueue(once, 4, { delay: '1h', unique: { key: 'window', period: '1h' } });
  await queue.recurring.set('daily', tick, 'daily', { cron: '30 2 * * *', timeZone: 'Europe/Berlin' });
  await queue.recurring.set('hourly', tick, 'hourly', { every: '1h', catchUp: 'none' });
  await queue.recurring.pause('hourly');
  await queue.control.limit('paused', { concurrency: 1, concurrencyPerTenant: 1, rate: { jobs: 5, per: '1m' } });
  await queue.control.pause('paused', { by: 'mary' });
  await waitFor('all jobs are in their states', async () => {
    const finished = await bench.history();
    const running = (await bench.liveJobs()).filter(({ state }) => state === 'running');
    return finished.length === 4 && running.length === 2;
  });
  await queue.cancelByKey('cancelled');
  await new Reaper(queue.engine).runOnce();
  const [row] = await dataSource.query(`SELECT ${queue.engine.dialect.now.sql} AS present`);
  await dataSource.query("INSERT INTO tq_lock VALUES ('report', 'worker-1', ?)", [Number(row.present)]);
  await dataSource.query("INSERT INTO tq_maintenance VALUES ('anything', ?)", [Number(row.present)]);
  await dataSource.query(
    "INSERT INTO tq_throughput (began_at, queue, succeeded, failed, retried, latency_sum, latency_max, run_sum, run_max) VALUES (?, 'steps', 1, 1, 1, 9, 3, 6, 2)",
    [Math.floor(Number(row.present) / 60_000) * 60_000],
  );
  await dataSource.query("UPDATE tq_worker SET host = 'worker-1', pid = 1");
  await dataSource.query("UPDATE tq_job SET trace = '{}' WHERE name = 'once'");
}

/** The statements that make the tables as they are. */
export async function dump(dataSource: DataSource): Promise<string> {
  const runner = dataSource.createQueryRunner();
  const statements = migrationStatements(runner, 'up', {});
  for (const { tableName } of dataSource.entityMetadatas.filter(({ tableName: name }) => name.startsWith('tq_'))) {
    for (const row of (await runner.query(`SELECT * FROM ${tableName}`)) as Record<string, unknown>[]) {
      const values = Object.values(row).map(literal).join(', ');
      statements.push(`INSERT INTO ${tableName} (${Object.keys(row).join(', ')}) VALUES (${values})`);
    }
  }
  await runner.release();
  return statements.map((statement) => `${statement};\n`).join('');
}

/** Runs what `dump` has written. */
export async function load(queryRunner: QueryRunner, text: string): Promise<void> {
  for (const statement of text.split(';\n').filter(Boolean)) {
    await queryRunner.query(statement);
  }
}

function literal(value: unknown): string {
  if (value === null || typeof value === 'number') {
    return String(value);
  }
  if (Buffer.isBuffer(value)) {
    return `X'${value.toString('hex')}'`;
  }
  if (typeof value !== 'string' || /['\\\n;]/.test(value)) {
    throw new TypeError(`cannot be frozen: ${JSON.stringify(value)}`);
  }
  return `'${value}'`;
}
