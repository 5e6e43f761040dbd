import type { QueryRunner } from 'typeorm';

import { type Operation, select } from '../engine/operation.js';
import { runOperation } from '../engine/run-operation.js';
import { sql } from '../engine/sql.js';
import { throughQueryRunner } from '../engine/through-query-runner.js';
import { PartitionsUnsupportedError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { addDays, daysToCreate, partitionByDay } from '../store/history/alter-days.js';
import { findJobsOutsideDays, readDays } from '../store/history/history-days.js';
import type { HistoryTable } from '../tables/table-names.js';
import { migratedSource } from './schema-names.js';

/** What `partitionHistory` takes. */
export interface PartitionOptions {
  /** What the tables' names begin with, as given to `tableQueueEntities`. Default: `'tq_'`. */
  readonly prefix?: string;
}

/**
 * Puts the history of existing tables into day partitions, so that the pruner can drop whole days. Call it from a
 * migration of your own, and give the entities `partitionHistory: 'day'`. On MySQL and MariaDB only.
 *
 * It copies the table: jobs cannot end meanwhile, and it waits for transactions that have touched the history. In a
 * history that is partitioned already it copies only what lies in no day, which is nothing where a pruner runs.
 *
 * @throws PartitionsUnsupportedError on SQLite
 * @throws UnsupportedDatabaseError, InvalidOptionError, UnknownOptionError
 */
export async function partitionHistory(queryRunner: QueryRunner, options: PartitionOptions = {}): Promise<void> {
  assertKnownOptions(options, ['prefix']);
  const { databaseType, tableName } = migratedSource(queryRunner, options.prefix);
  if (databaseType === 'better-sqlite3') {
    throw new PartitionsUnsupportedError(databaseType);
  }
  const history = {
    sql: sql.identifier([tableName('history')], '`'),
    name: tableName('history'),
    database: undefined,
    byDay: true,
  };
  await runOperation(throughQueryRunner(queryRunner), bringIntoDays(history));
}

function* bringIntoDays(history: HistoryTable): Operation<void> {
  const days = yield* readDays(history);
  const end = days?.end ?? 0;
  const [clock] = yield* select<{ seconds: number | string }>('SELECT UNIX_TIMESTAMP() AS seconds');
  const { oldest } = yield* findJobsOutsideDays(history, end, Number.MAX_SAFE_INTEGER);
  const starts = daysToCreate(Number(clock?.seconds) * 1000, oldest, end);
  if (starts.length > 0) {
    yield* days ? addDays(history, days, starts) : partitionByDay(history, starts);
  }
}
