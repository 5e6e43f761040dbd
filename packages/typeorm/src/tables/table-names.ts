import type { DataSource, EntityMetadata, EntityTarget, ObjectLiteral } from 'typeorm';

import { type Fragment, sql } from '../engine/sql.js';
import {
  EntityConflictError,
  EntityMismatchError,
  EntityNotRegisteredError,
  InvalidOptionError,
} from '../errors/index.js';
import { TableQueueAudit } from './audit.js';
import { TableQueueCancellation } from './cancellation.js';
import { TableQueueErrorRow } from './error.js';
import { TableQueueFailure } from './failure.js';
import { TableQueueGroup } from './group.js';
import { TableQueueHistory } from './history.js';
import { TableQueueJob } from './job.js';
import { TableQueueKey } from './key.js';
import { TableQueueLock } from './lock.js';
import { TableQueueMaintenance } from './maintenance.js';
import { TableQueueMember } from './member.js';
import { TableQueueQueueRow } from './queue.js';
import { TableQueueSchedule } from './schedule.js';
import { TableQueueThroughput } from './throughput.js';
import { TableQueueUnique } from './unique.js';
import { TableQueueWorkerRow } from './worker.js';

/** The entity of each table. A new table is added here, in `entities.ts` and in `migrations/`. */
const ENTITIES = {
  job: TableQueueJob,
  history: TableQueueHistory,
  error: TableQueueErrorRow,
  key: TableQueueKey,
  worker: TableQueueWorkerRow,
  maintenance: TableQueueMaintenance,
  queue: TableQueueQueueRow,
  cancellation: TableQueueCancellation,
  failure: TableQueueFailure,
  schedule: TableQueueSchedule,
  lock: TableQueueLock,
  unique: TableQueueUnique,
  group: TableQueueGroup,
  member: TableQueueMember,
  audit: TableQueueAudit,
  throughput: TableQueueThroughput,
} as const;

type Table = keyof typeof ENTITIES;

/** The table of the history, for what has to know more of it than how its name is written. */
export interface HistoryTable {
  /** As it stands in SQL. */
  readonly sql: Fragment;
  readonly name: string;
  /** The database it is in, where that is not the connection's own. */
  readonly database: string | undefined;
  /** Whether the entities say that it is in day partitions. */
  readonly byDay: boolean;
}

/** The tables' names as they stand in SQL: escaped, with the data source's own prefix and database. */
export interface TableNames extends Readonly<Record<Table, Fragment>> {
  /** All of them. */
  readonly all: readonly Fragment[];
  /** The index of `tq_job` that claims and promotions walk along. */
  readonly laneIndex: Fragment;
  /** The indexes of `tq_failure` by time, and by queue and time. */
  readonly failureIndexes: { readonly time: Fragment; readonly queue: Fragment };
  /** The index of `tq_group` by which those that have not finished are found. */
  readonly finishedIndex: Fragment;
  /** The index of `tq_audit` by time. */
  readonly auditIndex: Fragment;
  readonly historyTable: HistoryTable;
}

/**
 * Reads the names off the data source's metadata, which knows the `entityPrefix` and everything else that is added.
 *
 * @throws EntityNotRegisteredError, EntityMismatchError, EntityConflictError
 */
export function tableNamesOf(dataSource: DataSource): TableNames {
  const { options } = dataSource;
  const quote = options.type === 'better-sqlite3' ? '"' : '`';
  const metadataOf = (entity: EntityTarget<ObjectLiteral> & { readonly name: string }) => {
    if (!dataSource.hasMetadata(entity)) {
      throw new EntityNotRegisteredError(entity.name, options.type);
    }
    return dataSource.getMetadata(entity);
  };
  const nameOf = (entity: EntityTarget<ObjectLiteral> & { readonly name: string }) =>
    sql.identifier(metadataOf(entity).tablePath.split('.'), quote);

  const job = metadataOf(TableQueueJob);
  assertOneSet(dataSource);
  const madeForSqlite = job.findColumnWithPropertyName('id')?.type === 'blob';
  if (madeForSqlite !== (options.type === 'better-sqlite3')) {
    throw new EntityMismatchError(madeForSqlite ? 'better-sqlite3' : 'mysql', options.type);
  }
  const renamed = job.columns.find(({ databaseName, givenDatabaseName }) => databaseName !== givenDatabaseName);
  if (renamed) {
    throw new InvalidOptionError(
      'namingStrategy',
      renamed.databaseName,
      `one that keeps given names, such as "${renamed.givenDatabaseName}"`,
    );
  }
  const names = Object.fromEntries(
    Object.entries(ENTITIES).map(([table, entity]) => [table, nameOf(entity)]),
  ) as Record<Table, Fragment>;
  const history = metadataOf(TableQueueHistory);
  const [name = '', database] = history.tablePath.split('.').toReversed();
  const indexOf = ({ indices }: EntityMetadata, place = 0) => sql.identifier([indices[place]?.name ?? ''], quote);
  const failure = metadataOf(TableQueueFailure);
  return {
    ...names,
    all: Object.values(names),
    laneIndex: indexOf(job),
    failureIndexes: { time: indexOf(failure), queue: indexOf(failure, 1) },
    finishedIndex: indexOf(metadataOf(TableQueueGroup)),
    auditIndex: indexOf(metadataOf(TableQueueAudit)),
    historyTable: { sql: names.history, name, database, byDay: history.primaryColumns.length > 1 },
  };
}

/** TypeORM would take the first of several without a word. */
function assertOneSet({ entityMetadatas }: DataSource): void {
  const tables = entityMetadatas.filter(({ target }) => target === TableQueueJob).map(({ tablePath }) => tablePath);
  const different = [...new Set(tables)];
  if (different.length > 1) {
    throw new EntityConflictError(different);
  }
}

/** What the names of the queue's tables begin with. */
export function tablePrefixOf(dataSource: DataSource): string {
  return dataSource.getMetadata(ENTITIES.job).tableName.slice(0, -'job'.length);
}
