/* A worker that kills itself before or after one statement of its transactional handler's transaction. */
import { TableQueue, TableQueueWorker, transactionalHandler } from '@tablequeue/typeorm';
import { DataSource, type QueryRunner } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { connectionOptions } from '../support/connection-options.js';
import { effectJob, countJob } from '../support/jobs.js';

/** Which worker it is, and when it dies. */
export interface DyingWorkerConfig {
  readonly engine: Engine;
  readonly url: string;
  /** Its queue, which no other one works on. */
  readonly queue: string;
  /** Counts from 1, the beginning of the transaction; nothing dies without it. */
  readonly statement: number;
  readonly side: 'before' | 'after';
}

const { engine, url, queue: name, statement, side } = JSON.parse(process.env.CONFIG ?? '{}') as DyingWorkerConfig;
// With a limit for slow queries, every statement goes through the query runner, where it is counted.
const options = { ...connectionOptions(engine, url), maxQueryExecutionTime: 3_600_000 };
const dataSource = await new DataSource(options).initialize();
const queue = new TableQueue(dataSource);

const prototype = Object.getPrototypeOf(dataSource.createQueryRunner()) as QueryRunner;
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its own `this` below
const { query } = prototype;
let sent = 0;
prototype.query = async function (this: QueryRunner, sql: string, ...rest: []): Promise<never> {
  const isCounted = this.dataSource === dataSource && (sent > 0 || /^(START|BEGIN)/.test(sql));
  const isFatal = isCounted && ++sent === statement;
  if (isFatal && side === 'before') {
    process.kill(process.pid, 'SIGKILL');
  }
  const answer = (await query.call(this, sql, ...rest)) as never;
  if (isFatal) {
    process.kill(process.pid, 'SIGKILL');
  }
  return answer;
};

const worker = new TableQueueWorker(
  queue,
  [
    transactionalHandler(effectJob(name), async (job, { manager }) => {
      await manager.query('INSERT INTO run (job, process) VALUES (?, ?)', [job, process.pid]);
      await queue.enqueue(countJob, job, { manager, delay: '1h' });
      return { job };
    }),
  ],
  { lease: '2s', maintenance: false },
);
worker.events.on('succeeded', () => process.send?.('succeeded'));
await worker.start();
