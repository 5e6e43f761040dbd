import type { DataSource } from 'typeorm';

import type { Task } from '../client/task.js';
import { recreateTables } from '../recreate-tables.js';
import { NUMBERS, PER_STATEMENT } from './numbers.js';
import { connect } from './queue-database.js';

/** A few large queues have most jobs; the many others share the rest. */
const LARGE_QUEUES = 12;
const QUEUES = 1_000;
/** How many of seven jobs are in a large queue. */
const IN_LARGE = 4;
/** The members of a group. */
const MEMBERS = 5_000;
const LOG_LINES = 1_000;
const TENANTS = 50;
const DAY = 24 * 3_600_000;
/** Over which time the finished jobs were created, up to now: more have failed within the last day than are counted. */
const SPAN = 7 * DAY;

/** Tables that hold everything the dashboard shows, filled by `fill`. */
export interface BrowsedTables {
  readonly dataSource: DataSource;
  /** Places half-way along a list, as the API has them in `next`. */
  readonly halfWay: Readonly<Record<'ready' | 'succeeded' | 'failed' | 'key', string>>;
  /** The ids of some jobs. */
  readonly ids: Readonly<Record<'ready' | 'running' | 'succeeded' | 'failed' | 'grouped' | 'logged', string>>;
  /** The id of a large group. */
  readonly group: string;
}

/** Opens the tables, and fills them unless an earlier measurement has done so: it takes minutes. */
export async function openBrowsedTables(task: Task): Promise<BrowsedTables> {
  const { backlog, finished } = task.counts;
  const { dataSource } = await connect(task);
  if (!(await isFilled(dataSource))) {
    await recreateTables(dataSource);
    await fill(dataSource, backlog, finished);
  }
  const read = async (sql: string): Promise<{ at: string; id: Buffer }> => {
    const [row] = (await dataSource.query(sql)) as { at: string; id: Buffer }[];
    if (!row) {
      throw new Error(`Nothing is found by: ${sql}`);
    }
    return row;
  };
  const cursor = async (sql: string) => {
    const { at, id } = await read(sql);
    return `${at}.${uuidOf(id)}`;
  };
  const idOf = async (state: string) => {
    return uuidOf((await read(`SELECT 0 AS at, id FROM tq_job WHERE state = '${state}' LIMIT 1`)).id);
  };
  return {
    dataSource,
    halfWay: {
      ready: await cursor(
        `SELECT position AS at, id FROM tq_job WHERE queue = 'queue-1' AND state = 'ready' AND lane = 0
         ORDER BY position LIMIT 1 OFFSET ${Math.floor(inLarge(backlog) / 3)}`,
      ),
      succeeded: await cursor(
        `SELECT finished_at AS at, id FROM tq_job WHERE queue = 'queue-1' AND state = 'succeeded' AND lane = 0
         ORDER BY position LIMIT 1 OFFSET ${Math.floor(inLarge(finished) / 2)}`,
      ),
      failed: await cursor(
        `SELECT finished_at AS at, id FROM tq_job WHERE queue = 'queue-0' AND state = 'failed' AND lane = 0
         ORDER BY position LIMIT 1 OFFSET ${Math.floor(inLarge(finished) / 100)}`,
      ),
      key: await cursor(
        `SELECT 0 AS at, job_id AS id FROM tq_key WHERE job_key = 'customer:all'
         ORDER BY job_id LIMIT 1 OFFSET ${Math.floor(finished / 200)}`,
      ),
    },
    ids: {
      ready: await idOf('ready'),
      running: await idOf('running'),
      succeeded: await idOf('succeeded'),
      failed: await idOf('failed'),
      grouped: uuidOf((await read('SELECT 0 AS at, job_id AS id FROM tq_member LIMIT 1')).id),
      logged: uuidOf((await read('SELECT 0 AS at, job_id AS id FROM tq_log LIMIT 1')).id),
    },
    group: uuidOf((await read('SELECT 0 AS at, id FROM tq_group')).id),
  };
}

/** How many of some jobs are in each large queue, about. */
const inLarge = (jobs: number) => (jobs * IN_LARGE) / 7 / LARGE_QUEUES;

function uuidOf(id: Buffer): string {
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

async function isFilled(dataSource: DataSource): Promise<boolean> {
  const tables = await dataSource.query<unknown[]>("SHOW TABLES LIKE 'tq_audit'");
  // The last to be filled.
  return tables.length > 0 && (await dataSource.query<unknown[]>('SELECT id FROM tq_audit LIMIT 1')).length > 0;
}

/**
 * Makes jobs of a thousand queues and five names. Four of seven jobs are in twelve large queues. Of the finished ones a
 * hundredth has failed, a thousandth is cancelled. Of the live jobs a tenth is scheduled, 400 run, and those of one
 * queue have fifty tenants. A tenth has a key: half of those share one key, the others use one of several. The name
 * `rare` exists once, on the oldest job. One group has 5,000 finished jobs, and one job a log.
 */
async function fill(dataSource: DataSource, backlog: number, finished: number): Promise<void> {
  const now = Date.now();
  await fillLive(dataSource, backlog, now);
  await fillFinished(dataSource, finished, now);
  await dataSource.query(
    `INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error)
     SELECT id, 1, claimed_at, finished_at, last_error FROM tq_job WHERE state = 'failed'`,
  );
  await dataSource.query(
    `INSERT INTO tq_key (job_key, job_id) SELECT job_key, id FROM tq_job WHERE job_key IS NOT NULL
     ORDER BY job_key, id`,
  );
  await fillGroup(dataSource, now);
  await fillFigures(dataSource, now);
  await dataSource.query('ANALYZE TABLE tq_job, tq_error, tq_key, tq_member, tq_throughput, tq_audit');
}

const ALL_QUEUES = JSON.stringify(Array.from({ length: QUEUES }, (_, index) => `queue-${index}`));
const PAYLOAD = JSON.stringify('x'.repeat(140));
const ERROR = `Error: The receiver has answered 503\n${'    at Receiver.send (/app/dist/receiver.js:10:20)\n'.repeat(8)}`;
const KEY = (n: string) =>
  `CASE WHEN ${n} % 10 > 0 THEN NULL WHEN ${n} % 20 > 0 THEN 'customer:all' ELSE CONCAT('customer:', ${n} DIV 20 % 1000) END`;
const NAME = (n: string) => `IF(${n} = 0, 'rare', CONCAT('job-', ${n} % 5))`;
const QUEUE = (n: string) =>
  `CONCAT('queue-', IF(${n} % 7 < ${IN_LARGE}, ${n} % ${LARGE_QUEUES}, ${LARGE_QUEUES} + ${n} % ${QUEUES - LARGE_QUEUES}))`;
const TENANT = (n: string) =>
  `IF(${QUEUE(n)} = 'queue-3', CONCAT('tenant-', ${n} DIV ${LARGE_QUEUES} % ${TENANTS}), NULL)`;
/** As `laneOf` has it. */
const TENANT_LANE = (n: string) => `COALESCE(CRC32(${TENANT(n)}), 0)`;
/** A UUIDv7 of a time and a number. */
const ID = (time: string, n: string) => `UNHEX(CONCAT(LPAD(HEX(${time}), 12, '0'), '70008', LPAD(HEX(${n}), 15, '0')))`;

async function fillLive(dataSource: DataSource, rows: number, now: number): Promise<void> {
  await inParts(rows, async (count, n) => {
    const created = `${now - 3_600_000} + ${n} DIV 1000`;
    const isRunning = `(${n} BETWEEN 1 AND 400)`;
    const isScheduled = `(${n} % 10 = 9)`;
    const tenant = TENANT(n);
    const lane = TENANT_LANE(n);
    const runAt = `IF(${isScheduled}, ${now + 365 * DAY} + ${n}, ${created})`;
    await dataSource.query(
      `INSERT INTO tq_job (id, queue, state, owner, lane, position, name, job_key, payload, tenant, tenant_lane,
                           created_at, run_at, claimed_at, attempt)
       SELECT ${ID(created, n)}, ${QUEUE(n)},
              IF(${isRunning}, 'running', IF(${isScheduled}, 'scheduled', 'ready')),
              IF(${isRunning}, 1 + ${n} % 10, 0), IF(${isRunning}, 1 + ${n} % 10, IF(${isScheduled}, 0, ${lane})),
              IF(${isRunning}, ${n}, ${runAt}),
              ${NAME(n)}, ${KEY(n)}, '${PAYLOAD}', ${tenant}, ${lane}, ${created}, ${runAt},
              IF(${isRunning}, ${created}, 0), IF(${isRunning}, 1, 0)
       FROM ${NUMBERS} WHERE n < ${count} ORDER BY n`,
    );
  });
}

async function fillFinished(dataSource: DataSource, rows: number, now: number): Promise<void> {
  await inParts(rows, async (count, n) => {
    const created = `${now - SPAN} + (${n} * ${Math.floor(SPAN / 1000)} DIV ${Math.ceil(rows / 1000)})`;
    const hasFailed = `(${n} % 100 = 0)`;
    await dataSource.query(
      `INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, payload, attempt, failures, last_error,
                           tenant, tenant_lane, created_at, run_at, claimed_at, finished_at)
       SELECT ${ID(created, n)}, ${QUEUE(n)},
              CASE WHEN ${hasFailed} THEN 'failed' WHEN ${n} % 1000 = 501 THEN 'cancelled' ELSE 'succeeded' END,
              1, ${created} + 20, ${NAME(n)}, ${KEY(n)}, '${PAYLOAD}', 1, IF(${hasFailed}, 1, 0),
              IF(${hasFailed}, CONCAT(IF(${n} = 0, 'rare ', ''), '${ERROR}'), NULL),
              ${TENANT(n)}, ${TENANT_LANE(n)},
              ${created}, ${created}, ${created} + 5, ${created} + 20
       FROM ${NUMBERS} WHERE n < ${count} ORDER BY n`,
    );
  });
}

async function fillGroup(dataSource: DataSource, now: number): Promise<void> {
  const group = ID(String(now - DAY), '1');
  await dataSource.query(
    `UPDATE tq_job SET group_id = ${group} WHERE queue = 'queue-2' AND state = 'succeeded' LIMIT ${MEMBERS}`,
  );
  await dataSource.query(
    `INSERT INTO tq_group (id, jobs, created_at, finished_at) VALUES (${group}, ${MEMBERS}, ${now - DAY}, ${now})`,
  );
  await dataSource.query(
    `INSERT INTO tq_member (group_id, outcome, job_id)
     SELECT group_id, state, id FROM tq_job WHERE queue = 'queue-2' AND state = 'succeeded' AND group_id IS NOT NULL`,
  );
  await dataSource.query(
    `INSERT INTO tq_log (job_id, attempt, seq, logged_at, level, message)
     SELECT id, 1, n + 1, finished_at, 'info', REPEAT('line ', 20)
     FROM (SELECT id, finished_at FROM tq_job WHERE queue = 'queue-1' AND state = 'succeeded' LIMIT 1) job, ${NUMBERS}
     WHERE n < ${LOG_LINES}`,
  );
}

/** Ten workers, a day of throughput, and ten thousand things done by hand. */
async function fillFigures(dataSource: DataSource, now: number): Promise<void> {
  await dataSource.query(
    `INSERT INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until)
     SELECT 1 + n, CONCAT('host-', n), 1, '0.1.0', '${ALL_QUEUES}', ${now}, ${now}, ${now + 365 * DAY}
     FROM ${NUMBERS} WHERE n < 10`,
  );
  const minute = Math.floor(now / 60_000) * 60_000;
  await inParts(QUEUES * 24 * 60, async (count, n) => {
    await dataSource.query(
      `INSERT INTO tq_throughput (began_at, queue, succeeded, failed, retried, expired, latency_sum,
                                  latency_max, run_sum, run_max)
       SELECT ${minute} - ${n} DIV ${QUEUES} * 60000, CONCAT('queue-', ${n} % ${QUEUES}), 1000, 10, 20, 1, 9000, 90, 5000, 50
       FROM ${NUMBERS} WHERE n < ${count}`,
    );
  });
  await dataSource.query(
    `INSERT INTO tq_throughput (began_at, queue, succeeded, failed, retried, expired, latency_sum,
                                latency_max, run_sum, run_max)
     SELECT began_at, '', SUM(succeeded), SUM(failed), SUM(retried), SUM(expired), SUM(latency_sum), MAX(latency_max),
            SUM(run_sum), MAX(run_max)
     FROM tq_throughput GROUP BY began_at`,
  );
  await dataSource.query(
    `INSERT INTO tq_audit (id, done_at, who, action, target, changed, skipped)
     SELECT ${ID(`${now} - n * 60000`, 'n')}, ${now} - n * 60000, 'operator', 'cancel', 'jobs', 3, 1
     FROM ${NUMBERS} WHERE n < 10000`,
  );
}

/** Statement by statement. `n` is SQL for the number of a row. */
async function inParts(rows: number, insert: (count: number, n: string) => Promise<void>): Promise<void> {
  for (let from = 0; from < rows; from += PER_STATEMENT) {
    await insert(Math.min(PER_STATEMENT, rows - from), `(${from} + n)`);
  }
}
