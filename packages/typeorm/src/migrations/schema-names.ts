import type { QueryRunner } from 'typeorm';

import { UnsupportedDatabaseError } from '../errors/index.js';
import type { QueueDatabaseType } from '../tables/column-types.js';
import { resolvePrefix } from '../tables/entities.js';
import type { SchemaNames } from './schema-version.js';

/** What a migration has to know of the data source it runs on. */
export interface MigratedSource extends SchemaNames {
  readonly databaseType: QueueDatabaseType;
  /** A table's name as it is, not escaped. */
  readonly tableName: (name: string) => string;
}

/** @throws UnsupportedDatabaseError, InvalidOptionError */
export function migratedSource({ dataSource }: QueryRunner, givenPrefix: string | undefined): MigratedSource {
  const { driver, options } = dataSource;
  const { type, entityPrefix = '' } = options;
  if (type !== 'mysql' && type !== 'mariadb' && type !== 'better-sqlite3') {
    throw new UnsupportedDatabaseError(`a data source of type "${type}"`);
  }
  const prefix = resolvePrefix(givenPrefix);
  const tableName = (name: string) => `${entityPrefix}${prefix}${name}`;
  return {
    databaseType: type,
    tableName,
    table: (name) => driver.escape(tableName(name)),
    index: (name) => driver.escape(`${prefix}${name}`),
  };
}
