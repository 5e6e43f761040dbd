import type { QueryRunner } from 'typeorm';

import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { resolvePartition } from '../tables/entities.js';
import type { HistoryPartition } from '../tables/history.js';
import { partitionHistory } from './partition-history.js';
import { migratedSource } from './schema-names.js';
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
  /**
   * `'day'` puts the history into day partitions, as `partitionHistory` does, which copies a history that is there
   * already. Give the entities the same. On MySQL and MariaDB. Default: it has none. Going down it has no meaning.
   */
  readonly partitionHistory?: HistoryPartition;
}

const MIGRATION_OPTIONS = ['prefix', 'from', 'to', 'partitionHistory'];

/**
 * Creates the queue's tables, or brings them up from an older version. Call it from the `up` of a migration of your
 * own, with a fixed `to`, so that the migration does the same for ever.
 *
 * MySQL and MariaDB commit each statement of DDL by themselves; a table that is there already is left as it is.
 *
 * @throws InvalidOptionError, UnknownOptionError, UnsupportedDatabaseError, PartitionsUnsupportedError
 */
export async function upTableQueue(queryRunner: QueryRunner, options: MigrationOptions = {}): Promise<void> {
  assertKnownOptions(options, MIGRATION_OPTIONS);
  const { prefix, from = 0, to = LATEST_VERSION } = options;
  assertVersions(from, to);
  const partition = resolvePartition(migratedSource(queryRunner, prefix).databaseType, options.partitionHistory);
  for (const version of VERSIONS.slice(from, to)) {
    await runAll(queryRunner, version, 'up', options);
  }
  if (partition && to > 0) {
    await partitionHistory(queryRunner, { prefix });
  }
}

/**
 * Takes the tables back to an older version; by default it drops them, and the jobs in them.
 *
 * @throws InvalidOptionError, UnknownOptionError, UnsupportedDatabaseError
 */
export async function downTableQueue(queryRunner: QueryRunner, options: MigrationOptions = {}): Promise<void> {
  assertKnownOptions(options, MIGRATION_OPTIONS);
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
  const source = migratedSource(queryRunner, options.prefix);
  for (const statement of version[source.databaseType === 'better-sqlite3' ? 'sqlite' : 'mysql'][direction](source)) {
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
