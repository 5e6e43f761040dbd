import type { DataSource } from 'typeorm';

import type { Metrics, Task } from '../client/task.js';
import { median } from '../statistics.js';
import { NUMBERS, PER_STATEMENT } from './numbers.js';
import { type QueueDatabase, connectToEmpty, numberJob } from './queue-database.js';
import { isClaim, onTransaction } from './statement-times.js';
import { workOff } from './work-off.js';

/** The size everything is compared with, in jobs. */
const SMALL = 10_000;
/** How many jobs are claimed at a time, and how often. */
const CLAIMED = 50;
const CLAIMS = 60;
const SINGLES = 300;
const COUNTS = 100;
/** How many old entries each turn of pruning has to delete. */
const PRUNED = 2_000;

/** Claiming, enqueueing, counting and pruning with small tables and with large ones: what a large one costs more. */
export async function largeTables(task: Task): Promise<Metrics> {
  const database = await connectToEmpty(task);
  const small = await costs(database, SMALL, SMALL);
  const large = await costs(database, task.counts.backlog, task.counts.history);
  await database.dataSource.destroy();
  const metrics: Record<string, number> = {};
  for (const [name, cost] of Object.entries(small)) {
    metrics[`${name} on small tables ms`] = cost;
    metrics[`${name} on large tables ms`] = large[name] ?? NaN;
    metrics[`${name}, large to small`] = (large[name] ?? NaN) / cost;
  }
  return metrics;
}

const claims: number[] = [];
let listening = false;

async function costs(database: QueueDatabase, backlog: number, history: number): Promise<Record<string, number>> {
  const { dataSource, queue } = database;
  await grow(dataSource, 'job', backlog);
  await grow(dataSource, 'history', history);
  await dataSource.query('ANALYZE TABLE tq_job, tq_history');
  await writeDown(dataSource);
  const enqueue = await medianTime(SINGLES, () => queue.enqueue(numberJob, 1));
  const counts = await medianTime(COUNTS, () => queue.counts());
  const claim = await claimTimes(database);
  const prune = await medianTime(
    15,
    // Ten years: only the entries made for it are that old.
    () => queue.prune(10 * 365 * 24 * 3600 * 1000),
    (turn) => insertOld(dataSource, turn),
  );
  return { enqueue, counts, claim, prune };
}

/**
 * The median time of a call, in ms.
 *
 * @param prepare done before each call, and not timed.
 */
async function medianTime(
  times: number,
  call: () => Promise<unknown>,
  prepare?: (turn: number) => Promise<void>,
): Promise<number> {
  const durations: number[] = [];
  for (let turn = 0; turn < times; turn++) {
    await prepare?.(turn);
    const since = performance.now();
    await call();
    durations.push(performance.now() - since);
  }
  return median(durations);
}

async function claimTimes({ queue }: QueueDatabase): Promise<number> {
  if (!listening) {
    listening = true;
    onTransaction((transaction) => isClaim(transaction) && claims.push(transaction.duration));
  }
  claims.length = 0;
  const worker = await workOff(queue, CLAIMED * CLAIMS, CLAIMED);
  await worker.stop();
  return median(claims.slice(5));
}

/**
 * Has all that was stored written to the files: for minutes after ten million rows the server would do that beside what is
 * timed, and after ten thousand it has nothing to do.
 */
async function writeDown(dataSource: DataSource): Promise<void> {
  const queryRunner = dataSource.createQueryRunner();
  await queryRunner.query('FLUSH TABLES tq_job, tq_history FOR EXPORT');
  await queryRunner.query('UNLOCK TABLES');
  await queryRunner.release();
}

const made = { job: 0, history: 0 };

/** Makes so many rows in a table in all, inside the server. Their ids are older than any that is made now. */
async function grow(dataSource: DataSource, table: 'job' | 'history', rows: number): Promise<void> {
  const text = JSON.stringify('x'.repeat(140));
  while (made[table] < rows) {
    const from = made[table];
    const count = Math.min(PER_STATEMENT, rows - from);
    made[table] += count;
    // Not the ids of the other table: a job that is finished moves into the history under its own.
    const id = `UNHEX(CONCAT('${table === 'job' ? '0191' : '0190'}000000007000', LPAD(HEX(${from} + n), 16, '0')))`;
    await dataSource.query(
      table === 'job'
        ? `INSERT INTO tq_job (id, queue, state, position, name, payload, created_at, run_at)
           SELECT ${id}, 'numbers', 'ready', 1700000000000 + ${from} + n, 'number', '${text}', 0,
                  1700000000000 + ${from} + n
           FROM ${NUMBERS} WHERE n < ${count} ORDER BY n`
        : `INSERT INTO tq_history (id, queue, state, owner, name, payload, priority, attempt, failures, created_at,
                                   run_at, claimed_at, finished_at)
           SELECT ${id}, 'numbers', 'succeeded', 1, 'number', '${text}', 0, 1, 0, 0, 0, 0, 1700000000000 + n
           FROM ${NUMBERS} WHERE n < ${count} ORDER BY n`,
    );
  }
}

async function insertOld(dataSource: DataSource, turn: number): Promise<void> {
  await dataSource.query(
    `INSERT INTO tq_history (id, queue, state, owner, name, priority, attempt, failures, created_at, run_at, finished_at)
     SELECT UNHEX(CONCAT('0000000000007000', LPAD(HEX(${turn} * ${PRUNED} + n), 16, '0'))), 'numbers', 'succeeded', 1,
            'number', 0, 1, 0, 0, 0, 0
     FROM ${NUMBERS} WHERE n < ${PRUNED} ORDER BY n`,
  );
}
