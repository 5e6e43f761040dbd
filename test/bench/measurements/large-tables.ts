import mysql from 'mysql2/promise';
import type { DataSource } from 'typeorm';

import type { Metrics, Task } from '../client/task.js';
import { median } from '../statistics.js';
import { NUMBERS, PER_STATEMENT } from './numbers.js';
import { type QueueDatabase, connectToEmpty, numberJob } from './queue-database.js';
import { isClaim, onTransaction } from './statement-times.js';
import { workOff } from './work-off.js';

/** The size everything is compared with, in jobs. */
const SMALL = 10_000;
/** How many jobs are claimed at a time, how often by one worker, and by how many workers one after another. */
const CLAIMED = 50;
const CLAIMS = 15;
const WORKERS = 4;
/** How many claims of each are not counted: its connections are opened, and on the first one code is compiled. */
const WARM_UP = 3;
const SINGLES = 1_000;
const COUNTS = 100;
/** How often pruning runs, and how many old entries it deletes each time. */
const PRUNES = 15;
const PRUNED = 2_000;
/** Ten years in ms: only the entries made to be pruned are that old. */
const OLD = 10 * 365 * 24 * 3600 * 1000;

/**
 * Claiming, enqueueing, counting and pruning with small tables and with large ones, in turn: what a large one costs
 * more. Most of it is a flush to the disk, which takes longer for minutes on end and shorter again.
 */
export async function largeTables(task: Task): Promise<Metrics> {
  const small = await grown(task, 'small', SMALL, SMALL);
  const large = await grown(task, 'large', task.counts.backlog, task.counts.finished);
  const both = [small, large];
  const metrics = {
    ...compared('enqueue', await times(both, SINGLES, ({ queue }) => queue.enqueue(numberJob, 1))),
    ...compared('counts', await times(both, COUNTS, ({ queue }) => queue.counts())),
    ...compared('claim', await claimTimes(both)),
    ...compared('prune', await times(both, PRUNES, ({ queue }) => queue.prune(OLD), insertOld)),
  };
  await Promise.all(both.map(({ dataSource }) => dataSource.destroy()));
  return metrics;
}

/** @param durations on small tables and on large ones, in ms. */
function compared(name: string, durations: readonly number[][]): Metrics {
  const [small = NaN, large = NaN] = durations.map(median);
  return {
    [`${name} on small tables ms`]: small,
    [`${name} on large tables ms`]: large,
    [`${name}, large to small`]: large / small,
  };
}

/** A database of its own, with so many live jobs and so many finished ones. */
async function grown(task: Task, name: string, backlog: number, finished: number): Promise<QueueDatabase> {
  const server = new URL(task.url);
  const own = `${server.pathname.slice(1)}_${name}`;
  const connection = await mysql.createConnection(task.url);
  await connection.query(`CREATE DATABASE ${own} DEFAULT CHARACTER SET utf8mb4`);
  await connection.end();
  const database = await connectToEmpty({ ...task, url: new URL(`/${own}`, server).href });
  const { dataSource } = database;
  await grow(dataSource, 'finished', finished);
  await grow(dataSource, 'ready', backlog);
  await dataSource.query('ANALYZE TABLE tq_job');
  await writeDown(dataSource);
  return database;
}

/**
 * How long calls take on each of some databases, in ms, in turn.
 *
 * @param prepare done before each call, and not timed.
 */
async function times(
  databases: readonly QueueDatabase[],
  turns: number,
  call: (database: QueueDatabase) => Promise<unknown>,
  prepare?: (database: QueueDatabase, turn: number) => Promise<void>,
): Promise<number[][]> {
  const durations: number[][] = databases.map(() => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, database] of databases.entries()) {
      await prepare?.(database, turn);
      const since = performance.now();
      await call(database);
      durations[index]?.push(performance.now() - since);
    }
  }
  return durations;
}

async function claimTimes(databases: readonly QueueDatabase[]): Promise<number[][]> {
  let claims: number[] = [];
  onTransaction((transaction) => isClaim(transaction) && claims.push(transaction.duration));
  const durations: number[][] = databases.map(() => []);
  for (let turn = 0; turn < WORKERS; turn++) {
    for (const [index, { queue }] of databases.entries()) {
      claims = [];
      const worker = await workOff(queue, CLAIMED * CLAIMS, CLAIMED);
      await worker.stop();
      durations[index]?.push(...claims.slice(WARM_UP));
    }
  }
  return durations;
}

/**
 * Makes the server write everything to its files. For minutes after ten million rows it would do so during the
 * measurement; after ten thousand rows it has nothing to write.
 */
async function writeDown(dataSource: DataSource): Promise<void> {
  const queryRunner = dataSource.createQueryRunner();
  await queryRunner.query('FLUSH TABLES tq_job FOR EXPORT');
  await queryRunner.query('UNLOCK TABLES');
  await queryRunner.release();
}

/** Makes so many jobs, inside the server. Their ids are older than any that is made now. */
async function grow(dataSource: DataSource, kind: 'ready' | 'finished', rows: number): Promise<void> {
  const text = JSON.stringify('x'.repeat(140));
  for (let from = 0; from < rows; from += PER_STATEMENT) {
    const count = Math.min(PER_STATEMENT, rows - from);
    const id = `UNHEX(CONCAT('${kind === 'ready' ? '0191' : '0190'}000000007000', LPAD(HEX(${from} + n), 16, '0')))`;
    const time = `1700000000000 + ${from} + n`;
    await dataSource.query(
      kind === 'ready'
        ? `INSERT INTO tq_job (id, queue, state, position, name, payload, created_at, run_at)
           SELECT ${id}, 'numbers', 'ready', ${time}, 'number', '${text}', 0, ${time}
           FROM ${NUMBERS} WHERE n < ${count} ORDER BY n`
        : `INSERT INTO tq_job (id, queue, state, owner, position, name, payload, attempt, created_at, run_at, finished_at)
           SELECT ${id}, 'numbers', 'succeeded', 1, ${time}, 'number', '${text}', 1, 0, 0, ${time}
           FROM ${NUMBERS} WHERE n < ${count} ORDER BY n`,
    );
  }
}

async function insertOld({ dataSource }: QueueDatabase, turn: number): Promise<void> {
  await dataSource.query(
    `INSERT INTO tq_job (id, queue, state, owner, position, name, attempt, created_at, run_at, finished_at)
     SELECT UNHEX(CONCAT('0000000000007000', LPAD(HEX(${turn} * ${PRUNED} + n), 16, '0'))), 'numbers', 'succeeded', 1,
            1, 'number', 1, 0, 0, 1
     FROM ${NUMBERS} WHERE n < ${PRUNED} ORDER BY n`,
  );
}
