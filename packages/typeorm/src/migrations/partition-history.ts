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
import { translatingErrors } from './translating-errors.js';

/** Options of `partitionHistory`. */
export interface PartitionOptions {
  /** The prefix of the tables' names, as given to `tableQueueEntities`. Default: `'tq_'`. */
  readonly prefix?: string;
}

/**
 * Partitions an existing history by day, so that the pruner can drop whole days. Call it from a migration of your own,
 * and give the entities `partitionHistory: 'day'`. On MySQL and MariaDB only.
 *
 * It copies the table. Meanwhile no job can finish, and it waits for open transactions that use the history. If the
 * history is already partitioned, it copies only the jobs outside all days: usually none, if a pruner runs.
 *
 * @throws PartitionsUnsupportedError on SQLite.
 * @throws UnsupportedDatabaseError for another database.
 * @throws InvalidOptionError, UnknownOptionError for invalid options.
 */
export async function partitionHistory(queryRunner: QueryRunner, options: PartitionOptions = {}): Promise<void> {
  assertKnownOptions(options, ['prefix']);
  const { databaseType, tableName } = migratedSource(queryRunner, options.prefix);
  if (databaseType === 'better-sqlite3') {
    throw new PartitionsUnsupportedError(databaseType);
  }
  const history = {
    identifier: sql.identifier([tableName('history')], '`'),
    name: tableName('history'),
    database: undefined,
    byDay: true,
  };
  await translatingErrors(queryRunner, 'partition the history', () =>
    runOperation(throughQueryRunner(queryRunner), partitionIntoDays(history)),
  );
}

function* partitionIntoDays(history: HistoryTable): Operation<void> {
  const days = yield* readDays(history);
  const end = days?.end ?? 0;
  const [clock] = yield* select<{ seconds: number | string }>(sql`SELECT UNIX_TIMESTAMP() AS seconds`);
  const { oldest } = yield* findJobsOutsideDays(history, end, Number.MAX_SAFE_INTEGER);
  const starts = daysToCreate(Number(clock?.seconds) * 1000, oldest, end);
  if (starts.length > 0) {
    yield* days ? addDays(history, days, starts) : partitionByDay(history, starts);
  }
}
