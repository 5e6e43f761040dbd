import type { QueryRunner } from 'typeorm';

import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { resolvePartition } from '../tables/entities.js';
import type { HistoryPartition } from '../tables/history.js';
import { partitionHistory } from './partition-history.js';
import { migratedSource } from './schema-names.js';
import { VERSIONS } from './versions.js';

/** The version of the tables this release works on. */
export const TABLES_VERSION = VERSIONS.length;

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
  const { prefix, to = TABLES_VERSION } = options;
  const statements = migrationStatements(queryRunner, 'up', options);
  const partition = resolvePartition(migratedSource(queryRunner, prefix).databaseType, options.partitionHistory);
  await runAll(queryRunner, statements);
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
  await runAll(queryRunner, migrationStatements(queryRunner, 'down', options));
}

/**
 * The statements that `upTableQueue` or `downTableQueue` runs, for who wants to see them before. What
 * `partitionHistory` does is not among them: it depends on the jobs that are there.
 *
 * @throws InvalidOptionError, UnsupportedDatabaseError
 */
export function migrationStatements(
  queryRunner: QueryRunner,
  direction: 'up' | 'down',
  { prefix, from, to }: MigrationOptions,
): string[] {
  const source = migratedSource(queryRunner, prefix);
  const kind = source.databaseType === 'better-sqlite3' ? 'sqlite' : 'mysql';
  const [lower, upper] = direction === 'up' ? [from ?? 0, to ?? TABLES_VERSION] : [to ?? 0, from ?? TABLES_VERSION];
  assertVersions(direction === 'up' ? ['from', 'to'] : ['to', 'from'], lower, upper);
  const versions = VERSIONS.slice(lower, upper);
  return (direction === 'up' ? versions : versions.toReversed()).flatMap((version) => version[kind][direction](source));
}

async function runAll(queryRunner: QueryRunner, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    await queryRunner.query(statement);
  }
}

/** @param names the options that the two were given as. */
function assertVersions(names: readonly [string, string], lower: number, upper: number): void {
  for (const [option, value, least] of [
    [names[0], lower, 0],
    [names[1], upper, lower],
  ] as const) {
    if (!Number.isInteger(value) || value < least || value > TABLES_VERSION) {
      throw new InvalidOptionError(option, value, `a version of the tables, from ${least} to ${TABLES_VERSION}`);
    }
  }
}
