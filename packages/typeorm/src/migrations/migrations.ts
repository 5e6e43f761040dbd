import type { QueryRunner } from 'typeorm';

import { dataSourceOf } from '../engine/data-source-of.js';
import { warnOfWrongType } from '../engine/mysql/server/warn-of-wrong-type.js';
import { InvalidOptionError } from '../errors/index.js';
import { consoleLogger } from '../logger.js';
import { assertKnownOptions } from '../options.js';
import { migratedSource } from './schema-names.js';
import { translatingErrors } from './translating-errors.js';
import { VERSIONS } from './versions.js';

/** The version of the tables that this release uses. */
export const TABLES_VERSION = VERSIONS.length;

/** Options of `upTableQueue` and `downTableQueue`. */
export interface MigrationOptions {
  /** The prefix of the tables' names, as given to `tableQueueEntities`. Default: `'tq_'`. */
  readonly prefix?: string;
  /** The version of the existing tables. Default: 0 (no tables) for `up`, the latest for `down`. */
  readonly from?: number;
  /** The version to migrate to. Default: the latest for `up`, 0 (no tables) for `down`. */
  readonly to?: number;
}

const MIGRATION_OPTIONS = ['prefix', 'from', 'to'];

/**
 * Creates the queue's tables, or migrates them from an older version. Call it from the `up` of a migration of your own,
 * with a fixed `to`, so that the migration never changes.
 *
 *     async up(queryRunner: QueryRunner) {
 *       await upTableQueue(queryRunner, { to: 1 });
 *     }
 *
 * MySQL and MariaDB commit each DDL statement implicitly. Existing tables are not changed, so you can run it again
 * after a crash.
 *
 * @throws InvalidOptionError, UnknownOptionError for invalid options.
 * @throws UnsupportedDatabaseError for another database.
 * @throws MissingPrivilegeError when the account may not create or alter tables; the message names the privilege.
 * @throws DatabaseUnavailableError, DatabaseFullError
 */
export async function upTableQueue(queryRunner: QueryRunner, options: MigrationOptions = {}): Promise<void> {
  assertKnownOptions(options, MIGRATION_OPTIONS);
  const statements = migrationStatements(queryRunner, 'up', options);
  warnOfWrongType(dataSourceOf(queryRunner), consoleLogger);
  await runAll(queryRunner, statements);
}

/**
 * Reverts the tables to an older version. By default it drops them with all jobs.
 *
 * @throws InvalidOptionError, UnknownOptionError for invalid options.
 * @throws UnsupportedDatabaseError for another database.
 * @throws MissingPrivilegeError when the account may not drop or alter tables; the message names the privilege.
 * @throws DatabaseUnavailableError, DatabaseFullError
 */
export async function downTableQueue(queryRunner: QueryRunner, options: MigrationOptions = {}): Promise<void> {
  assertKnownOptions(options, MIGRATION_OPTIONS);
  await runAll(queryRunner, migrationStatements(queryRunner, 'down', options));
}

/**
 * Returns the statements of `upTableQueue` or `downTableQueue`.
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
  return (direction === 'up' ? versions : versions.toReversed())
    .flatMap((version) => version[kind][direction](source))
    .map(({ sql }) => sql);
}

async function runAll(queryRunner: QueryRunner, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    await translatingErrors(queryRunner, 'migrate the tables', async () => {
      await queryRunner.query(statement).catch(ignoreIfDone);
    });
  }
}

const DONE = new Set(['ER_DUP_FIELDNAME', 'ER_DUP_KEYNAME']);

/** MySQL and SQLite cannot add a column only if it is missing. Another run of the migration may have added it. */
function ignoreIfDone(error: unknown): void {
  const { code, message } = error as { code?: string; message?: string };
  if (!DONE.has(String(code)) && !message?.includes('duplicate column name')) {
    throw error;
  }
}

/** @param names the names of the two options. */
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
