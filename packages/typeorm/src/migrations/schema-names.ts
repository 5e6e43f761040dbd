import type { QueryRunner } from 'typeorm';

import { dataSourceOf } from '../engine/data-source-of.js';
import { sql } from '../engine/sql.js';
import { UnsupportedDatabaseError } from '../errors/index.js';
import type { QueueDatabaseType } from '../tables/column-types.js';
import { resolvePrefix } from '../tables/entities.js';
import type { SchemaNames } from './schema-version.js';

/** The data source of a migration. */
export interface MigratedSource extends SchemaNames {
  readonly databaseType: QueueDatabaseType;
  /** The name of a table, not escaped. */
  readonly tableName: (name: string) => string;
}

/**
 * Reads the names and the type of the data source of a migration.
 *
 * @throws UnsupportedDatabaseError, InvalidOptionError
 */
export function migratedSource(queryRunner: QueryRunner, givenPrefix: string | undefined): MigratedSource {
  const { type, entityPrefix = '' } = dataSourceOf(queryRunner).options;
  if (type !== 'mysql' && type !== 'mariadb' && type !== 'better-sqlite3') {
    throw new UnsupportedDatabaseError(`a data source of type "${type}"`);
  }
  const prefix = resolvePrefix(givenPrefix);
  const quote = type === 'better-sqlite3' ? '"' : '`';
  const tableName = (name: string) => `${entityPrefix}${prefix}${name}`;
  return {
    databaseType: type,
    tableName,
    table: (name) => sql.identifier([tableName(name)], quote),
    index: (name) => sql.identifier([`${prefix}${name}`], quote),
  };
}
