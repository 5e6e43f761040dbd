import { beforeEach } from '@jest/globals';
import {
  type RetentionOptions,
  UnrecoverableJobError,
  defineJob,
  jobHandler,
  partitionHistory,
} from '@tablequeue/typeorm';
import { Pruner, TableQueueErrorRow, TableQueueFailure, TableQueueKey } from '@tablequeue/typeorm/internal';

import type { Engine } from '../servers/engines.js';
import { useWorkbench } from './use-workbench.js';

/** A job that fails for good. */
export const failJob = defineJob('fail');

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** An age after which a job of any outcome is deleted. */
export const week = { age: '7d' } as const;
const ALL_A_WEEK: RetentionOptions = { succeeded: week, failed: week, cancelled: week };

/** A history in days, created again for each test of the suite it is called in. */
export function historyDays(engine: Engine) {
  // A clock that was put forward does not go back, so each test has tables of its own.
  const bench = useWorkbench(engine, { isolation: 'database' });
  beforeEach(async () => {
    await partition();
    // Noon, so that no test runs from one day into the next.
    bench.clock.advance(DAY - (Date.now() % DAY) + 12 * HOUR);
  });

  async function partition(): Promise<void> {
    const queryRunner = bench.dataSource.createQueryRunner();
    await partitionHistory(queryRunner);
    await queryRunner.release();
  }

  const pruner = (retention: RetentionOptions = ALL_A_WEEK) => new Pruner(bench.queue.engine, retention);
  const prune = (retention?: RetentionOptions) => pruner(retention).runOnce();
  const now = () => Date.now() + bench.clock.shift;
  /** How many jobs each partition has, the oldest first; the last one is behind all days. */
  async function partitions(): Promise<{ name: string; end: number; jobs: number }[]> {
    const rows = (await bench.dataSource.query(
      `SELECT PARTITION_NAME AS name, PARTITION_DESCRIPTION AS bound FROM information_schema.PARTITIONS
       WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'tq_history' ORDER BY PARTITION_ORDINAL_POSITION`,
    )) as { name: string; bound: string }[];
    return Promise.all(
      rows.map(async ({ name, bound }) => {
        const [row] = (await bench.dataSource.query(`SELECT COUNT(*) AS jobs FROM tq_history PARTITION (${name})`)) as {
          jobs: string;
        }[];
        return { name, end: bound === 'MAXVALUE' ? Infinity : Number(bound), jobs: Number(row?.jobs) };
      }),
    );
  }

  /** How many jobs finished on each day, the days without any left out. */
  const jobsByDay = async () => (await partitions()).map(({ jobs }) => jobs).filter((jobs) => jobs > 0);
  const inRest = async () => (await partitions()).at(-1)?.jobs;

  /** What jobs have left outside of the history. */
  async function traces(): Promise<number[]> {
    const tables = [TableQueueKey, TableQueueErrorRow, TableQueueFailure];
    return Promise.all(tables.map((table) => bench.dataSource.getRepository<object>(table).count()));
  }

  /** A job that has failed, with a key, an error and what is noted of it. */
  async function failedJob(key: string): Promise<string> {
    const fail = jobHandler(failJob, () => {
      throw new UnrecoverableJobError('dropped');
    });
    await bench.work([fail]);
    const { id } = await bench.queue.enqueue(failJob, undefined, { key });
    await bench.untilJobIs(id, 'failed');
    await bench.stopWorkers();
    return id;
  }

  /** So that the oldest day is due for deletion, and the days to come exist already. */
  async function eightDaysLater(): Promise<void> {
    bench.clock.advance('6d');
    await prune();
    bench.clock.advance('2d');
  }

  return {
    bench,
    partition,
    pruner,
    prune,
    now,
    partitions,
    jobsByDay,
    inRest,
    traces,
    failedJob,
    eightDaysLater,
  };
}
