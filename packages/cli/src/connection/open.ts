import { TableQueue, type QueueDatabaseType, tableQueueEntities } from '@tablequeue/typeorm';
import { type InstalledTables, installedTables, resolvePrefix } from '@tablequeue/typeorm/internal';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';

import type { Context } from '../context.js';
import { ConnectionFailedError, NoTablesError, UsageError } from '../errors/index.js';
import { type Target, type TargetOptions, findTarget } from './target.js';

/** A database that is connected. */
export interface Database {
  /** Without the password. */
  readonly name: string;
  readonly prefix: string;
  readonly queryRunner: QueryRunner;
  readonly installed: InstalledTables;
}

/** Which database, and what to do where that is a file of SQLite that does not exist. */
export interface DatabaseOptions extends TargetOptions {
  /** `'empty'` takes it for an empty one. Default: `'refuse'`. */
  readonly absentFile?: 'create' | 'empty' | 'refuse';
}

/** A database with the queue in it. */
export interface QueueDatabase {
  readonly name: string;
  readonly dataSource: DataSource;
  readonly queue: TableQueue;
}

/** Connects, does something with the database, and closes it. */
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
 * Connects, does something with the queue, and closes it.
 *
 * @throws NoTablesError unless the tables may be missing.
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
      throw new NoTablesError(target.name, prefix);
    }
    const type = target.options.type as QueueDatabaseType;
    const partitioned = installed.historyByDay ? { partitionHistory: 'day' as const } : {};
    const entities = tableQueueEntities(type, { prefix, ...partitioned });
    return await useDataSource(target, { ...target.options, entities }, async (dataSource) => {
      // Nothing else is done in this process: there is no transaction to be beside of.
      const queue = new TableQueue(dataSource, { outsideTransaction: 'allow' });
      return work({ name: target.name, dataSource, queue });
    });
  } finally {
    await target.release();
  }
}

async function useTarget<T>(
  target: Target,
  { prefix: given, absentFile = 'refuse' }: DatabaseOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const prefix = resolvePrefix(given ?? target.prefix);
  if (target.isAbsent && absentFile === 'refuse') {
    throw new UsageError(`${target.name}: there is no such file. Create it: npx tablequeue migrate`);
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

/** What belongs to the application is left out: its subscribers, its migrations, its query log, and `dropSchema`. */
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
    throw new ConnectionFailedError(target.name, reasonOf(error) + hintOf(error, target), error);
  }
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** What a server, or an account, that demands TLS refuses others with: MariaDB does not say why, MySQL of an account not either. */
const REFUSALS = new Set(['ER_SECURE_TRANSPORT_REQUIRED', 'ER_ACCESS_DENIED_ERROR']);

function hintOf(error: unknown, { options }: Target): string {
  const isPlain = options.type !== 'better-sqlite3' && !(options as { ssl?: unknown }).ssl;
  return isPlain && REFUSALS.has(String((error as { code?: unknown }).code))
    ? ' (If it demands TLS: a URL has no place for that, but --data-source has, with "ssl".)'
    : '';
}

/** A refused connection to a host with several addresses has its reasons inside. */
function reasonOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: readonly Error[] };
  return message || errors?.map((each) => each.message).join('; ') || code || String(error);
}
