import { TableQueue, type QueueDatabaseType, tableQueueEntities } from '@tablequeue/typeorm';
import {
  type InstalledTables,
  acceptAnyType,
  closeWithin,
  installedTables,
  resolvePrefix,
} from '@tablequeue/typeorm/internal';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';

import type { Context } from '../context.js';
import { ConnectionFailedError, NoTablesError, UsageError } from '../errors.js';
import { findTarget } from './find-target.js';
import { migrateCommand } from './migrate-command.js';
import type { Target, TargetOptions } from './target.js';

export interface Database {
  /** Its name in the output, without the password. */
  readonly name: string;
  readonly prefix: string;
  readonly queryRunner: QueryRunner;
  readonly installed: InstalledTables;
}

/** Selects a database, and what to do if it is an SQLite file that does not exist. */
export interface DatabaseOptions extends TargetOptions {
  /** `empty` treats a missing file as an empty database; `refuse` throws a UsageError. Default: `refuse`. */
  readonly absentFile?: 'create' | 'empty' | 'refuse';
}

export interface QueueDatabase {
  readonly name: string;
  readonly dataSource: DataSource;
  readonly queue: TableQueue;
}

/** Connects to a database, calls `work`, and closes the connection. */
export async function useDatabase<T>(
  options: DatabaseOptions,
  context: Context,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const target = await findTarget(options, context);
  try {
    return await useTarget(target, options, work);
  } finally {
    await target.release();
  }
}

/**
 * Connects to the queue, calls `work`, and closes the connection.
 *
 * @throws NoTablesError if the tables are missing, unless `mayLackTables` is set.
 */
export async function useQueue<T>(
  options: TargetOptions & { readonly mayLackTables?: boolean },
  context: Context,
  work: (database: QueueDatabase) => Promise<T>,
): Promise<T> {
  const target = await findTarget(options, context);
  try {
    const found = await useTarget(target, options, async ({ installed, prefix }) => ({ installed, prefix }));
    const { installed, prefix } = found;
    if (installed.version === 0 && !options.mayLackTables) {
      throw new NoTablesError(target.name, prefix, migrateCommand(options));
    }
    const type = target.options.type as QueueDatabaseType;
    const entities = tableQueueEntities(type, { prefix });
    return await useDataSource(target, { ...target.options, entities }, async (dataSource) => {
      // This process has no transaction of the application that an enqueue could miss.
      const queue = new TableQueue(dataSource, { outsideTransaction: 'allow' });
      return work({ name: target.name, dataSource, queue });
    });
  } finally {
    await target.release();
  }
}

async function useTarget<T>(
  target: Target,
  { absentFile = 'refuse', ...given }: DatabaseOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const prefix = resolvePrefix(given.prefix ?? target.prefix);
  if (target.isAbsent && absentFile === 'refuse') {
    const file = target.name.replace(/^sqlite:/, '');
    throw new UsageError(`The file ${file} does not exist. Check the path, or create it: ${migrateCommand(given)}`);
  }
  const database = target.isAbsent && absentFile === 'empty' ? { database: ':memory:' } : {};
  const options = { ...target.options, ...database, entities: [] } as DataSourceOptions;
  return useDataSource(target, options, async (dataSource) => {
    const queryRunner = dataSource.createQueryRunner('master');
    try {
      const installed = await installedTables(queryRunner, prefix);
      return await work({ name: target.name, prefix, queryRunner, installed });
    } finally {
      await queryRunner.release();
    }
  });
}

/** Ignores the options of the application: its subscribers, migrations and query log, and `dropSchema`. */
async function useDataSource<T>(
  target: Target,
  options: DataSourceOptions,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const dataSource = new DataSource({
    ...options,
    subscribers: [],
    migrations: [],
    synchronize: false,
    migrationsRun: false,
    dropSchema: false,
    cache: false,
    logging: false,
  });
  try {
    await dataSource.initialize();
  } catch (error) {
    throw notADatabase(error, target) ?? connectionFailed(error, target);
  }
  if (target.isOfUrl) {
    // The doctor reports it; for the other commands the scheme makes no difference.
    acceptAnyType(dataSource);
  }
  try {
    return await work(dataSource);
  } catch (error) {
    throw notADatabase(error, target) ?? error;
  } finally {
    // Also if the server breaks a connection during its last message, or no longer answers.
    await closeWithin(dataSource, CLOSE_TIMEOUT);
  }
}

/** How long the server may take to close the connections, in ms. */
const CLOSE_TIMEOUT = 5_000;

/** The errors of a server or an account that requires TLS. MariaDB, and accounts of MySQL, do not give the reason. */
const REFUSALS = new Set(['ER_SECURE_TRANSPORT_REQUIRED', 'ER_ACCESS_DENIED_ERROR']);

function connectionFailed(error: unknown, target: Target): ConnectionFailedError {
  return new ConnectionFailedError(target.name, reasonOf(error) + hintOf(error, target), error);
}

/** SQLite opens any file, and reads it only for the first statement. */
function notADatabase(error: unknown, { name }: Target): UsageError | undefined {
  return (error as { code?: unknown } | undefined)?.code === 'SQLITE_NOTADB'
    ? new UsageError(`${name} is not an SQLite database. Check the path.`, { cause: error })
    : undefined;
}

function hintOf(error: unknown, { options }: Target): string {
  const isPlain = options.type !== 'better-sqlite3' && !(options as { ssl?: unknown }).ssl;
  return isPlain && REFUSALS.has(String((error as { code?: unknown }).code))
    ? ' (If the server requires TLS, use --data-source with "ssl". A URL cannot express it.)'
    : '';
}

/** If a host has several addresses, the error contains one error for each. */
function reasonOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: readonly Error[] };
  return message || errors?.map((each) => each.message).join('; ') || code || String(error);
}
