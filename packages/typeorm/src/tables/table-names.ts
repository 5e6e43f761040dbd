import type { DataSource, EntityMetadata } from 'typeorm';

import { type Fragment, sql } from '../engine/sql.js';
import { EntityError, InvalidOptionError } from '../errors/index.js';
import { TABLES } from './entities.js';

type TableName = keyof typeof TABLES;

/** The tables' names in SQL: escaped, with the data source's own prefix and database. */
export interface TableNames extends Readonly<Record<TableName, Fragment>> {
  readonly all: readonly Fragment[];
  /** The index of `tq_job` that claims and promotions read. */
  readonly laneIndex: Fragment;
  /** The index of `tq_group` that finds unfinished groups. */
  readonly finishedIndex: Fragment;
  /** The index of `tq_audit` by time. */
  readonly auditIndex: Fragment;
  /** The index of `tq_signal` by stage. */
  readonly signalStageIndex: Fragment;
  /** The table that an import creates: see store/imports. It is not part of the layout. */
  readonly imported: Fragment;
}

/**
 * Reads the names from the data source's metadata, which contains the `entityPrefix` and the database.
 *
 * @throws EntityError when the entities are missing, or were made for several prefixes.
 * @throws InvalidOptionError when a naming strategy has renamed columns.
 */
export function tableNamesOf(dataSource: DataSource): TableNames {
  const { options } = dataSource;
  const quote = options.type === 'better-sqlite3' ? '"' : '`';
  const metadataOf = (table: TableName) => {
    const { entity } = TABLES[table];
    if (!dataSource.hasMetadata(entity)) {
      throw new EntityError(
        `The data source does not know the queue's entity of the table "${table}". Add the queue's entities to it: ` +
          `entities: [...tableQueueEntities('${options.type}')], or, in a Nest application, autoLoadEntities: true.`,
      );
    }
    return dataSource.getMetadata(entity);
  };

  const job = metadataOf('job');
  assertOneSet(dataSource);
  const renamed = job.columns.find(({ databaseName, givenDatabaseName }) => databaseName !== givenDatabaseName);
  if (renamed) {
    throw new InvalidOptionError(
      'namingStrategy',
      renamed.databaseName,
      `one that keeps given names, such as "${renamed.givenDatabaseName}"`,
    );
  }
  const names = Object.fromEntries(
    (Object.keys(TABLES) as TableName[]).map((table) => [
      table,
      sql.identifier(metadataOf(table).tablePath.split('.'), quote),
    ]),
  ) as Record<TableName, Fragment>;
  const indexOf = ({ indices }: EntityMetadata) => sql.identifier([indices[0]?.name ?? ''], quote);
  return {
    ...names,
    all: Object.values(names),
    laneIndex: indexOf(job),
    finishedIndex: indexOf(metadataOf('group')),
    auditIndex: indexOf(metadataOf('audit')),
    signalStageIndex: indexOf(metadataOf('signal')),
    imported: sql.identifier(importedTableName(dataSource).split('.'), quote),
  };
}

/** With several sets of entities TypeORM would silently use the first. */
function assertOneSet({ entityMetadatas }: DataSource): void {
  const tables = entityMetadatas.filter(({ target }) => target === TABLES.job.entity).map(({ tablePath }) => tablePath);
  const different = [...new Set(tables)];
  if (different.length > 1) {
    throw new EntityError(
      `The data source has the queue's entities for several prefixes, with the tables ${different.join(' and ')}. ` +
        'A data source has one queue and one prefix. Use the same prefix in TableQueueModule and in ' +
        'tableQueueEntities, or give the other entities to a data source of their own.',
    );
  }
}

/** The prefix of the names of the queue's tables. */
export function tablePrefixOf(dataSource: DataSource): string {
  return dataSource.getMetadata(TABLES.job.entity).tableName.slice(0, -'job'.length);
}

/** The path of the table that an import creates: beside that of the jobs. */
export function importedTableName(dataSource: DataSource): string {
  return dataSource.getMetadata(TABLES.job.entity).tablePath.replace(/job$/, 'imported');
}
