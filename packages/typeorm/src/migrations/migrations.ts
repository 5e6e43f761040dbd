import type { QueryRunner } from 'typeorm';

import { InvalidOptionError, UnsupportedDatabaseError } from '../errors/index.js';
import { resolvePrefix } from '../tables/entities.js';
import type { SchemaVersion } from './schema-version.js';
import { version1 } from './v1/version-1.js';

/** Every version of the tables, oldest first. A version that was released never changes again. */
const VERSIONS: readonly SchemaVersion[] = [version1];

/** The version of the tables this release works on. */
export const LATEST_VERSION = VERSIONS.length;

/** What the migration functions take. */
export interface MigrationOptions {
  /** What the tables' names begin with, as given to `tableQueueEntities`. Default: `'tq_'`. */
  readonly prefix?: string;
  /** The version the tables are at before. Default: 0 (no tables) going up, the latest going down. */
  readonly from?: number;
  /** The version to go to. Default: the latest going up, 0 (no tables) going down. */
  readonly to?: number;
}

/**
 * Creates the queue's tables, or brings them up from an older version. Call it from the `up` of a migration of your
 * own, with a fixed `to`, so that the migration does the same for ever.
 *
 * MySQL and MariaDB commit each statement of DDL by themselves; a table that is there already is left as it is.
 *
 * @throws InvalidOptionError, UnsupportedDatabaseError
 */
export async function upTableQueue(queryRunner: QueryRunner, options: MigrationOptions = {}): Promise<void> {
  const { from = 0, to = LATEST_VERSION } = options;
  assertVersions(from, to);
  for (const version of VERSIONS.slice(from, to)) {
    await runAll(queryRunner, version, 'up', options);
  }
}

/**
 * Takes the tables back to an older version; by default it drops them, and the jobs in them.
 *
 * @throws InvalidOptionError, UnsupportedDatabaseError
 */
export async function downTableQueue(queryRunner: QueryRunner, options: MigrationOptions = {}): Promise<void> {
  const { from = LATEST_VERSION, to = 0 } = options;
  assertVersions(to, from);
  for (const version of VERSIONS.slice(to, from).toReversed()) {
    await runAll(queryRunner, version, 'down', options);
  }
}

async function runAll(
  queryRunner: QueryRunner,
  version: SchemaVersion,
  direction: 'up' | 'down',
  options: MigrationOptions,
): Promise<void> {
  const { options: dataSourceOptions, driver } = queryRunner.dataSource;
  const { type, entityPrefix = '' } = dataSourceOptions;
  if (type !== 'mysql' && type !== 'mariadb' && type !== 'better-sqlite3') {
    throw new UnsupportedDatabaseError(`a data source of type "${type}"`);
  }
  const prefix = resolvePrefix(options.prefix);
  const names = {
    table: (name: string) => driver.escape(`${entityPrefix}${prefix}${name}`),
    index: (name: string) => driver.escape(`${prefix}${name}`),
  };
  for (const statement of version[type === 'better-sqlite3' ? 'sqlite' : 'mysql'][direction](names)) {
    await queryRunner.query(statement);
  }
}

function assertVersions(lower: number, upper: number): void {
  for (const [option, value, least] of [
    ['from', lower, 0],
    ['to', upper, lower],
  ] as const) {
    if (!Number.isInteger(value) || value < least || value > LATEST_VERSION) {
      throw new InvalidOptionError(option, value, `a version of the tables, from ${least} to ${LATEST_VERSION}`);
    }
  }
}
