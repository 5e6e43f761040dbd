import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';

import { EntityMismatchError, EntityNotRegisteredError, InvalidOptionError } from '../errors/index.js';
import { TableQueueHistory } from './history.js';
import { TableQueueJob } from './job.js';
import { TableQueueKey } from './key.js';
import { TableQueueMaintenance } from './maintenance.js';
import { TableQueueWorkerRow } from './worker.js';

/** The tables' names as they stand in SQL: escaped, with the data source's own prefix and database. */
export interface TableNames {
  readonly job: string;
  readonly history: string;
  readonly key: string;
  readonly worker: string;
  readonly maintenance: string;
  /** The index of `tq_job` that claims and promotions walk along. */
  readonly laneIndex: string;
}

/**
 * Reads the names off the data source's metadata, which knows the `entityPrefix` and everything else that is added.
 *
 * @throws EntityNotRegisteredError, EntityMismatchError
 */
export function tableNamesOf(dataSource: DataSource): TableNames {
  const { driver, options } = dataSource;
  const metadataOf = (entity: EntityTarget<ObjectLiteral> & { readonly name: string }) => {
    if (!dataSource.hasMetadata(entity)) {
      throw new EntityNotRegisteredError(entity.name, options.type);
    }
    return dataSource.getMetadata(entity);
  };
  const nameOf = (entity: EntityTarget<ObjectLiteral> & { readonly name: string }) =>
    metadataOf(entity)
      .tablePath.split('.')
      .map((part) => driver.escape(part))
      .join('.');

  const job = metadataOf(TableQueueJob);
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
  const laneIndex = job.indices[0]?.name ?? '';
  return {
    job: nameOf(TableQueueJob),
    history: nameOf(TableQueueHistory),
    key: nameOf(TableQueueKey),
    worker: nameOf(TableQueueWorkerRow),
    maintenance: nameOf(TableQueueMaintenance),
    laneIndex: driver.escape(laneIndex),
  };
}
