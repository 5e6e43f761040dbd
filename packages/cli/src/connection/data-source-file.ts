import { existsSync, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { type DataSource, type DataSourceOptions, InstanceChecker } from 'typeorm';

import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { parseServerUrl } from './database-url.js';
import { type DatabaseType, driverOptions } from './driver.js';
import type { Target } from './target.js';

/**
 * Returns the database of the TypeORM `DataSource` that a module exports, as for TypeORM's own command line. Only its
 * options are used: the entities and migrations of the application are not loaded, and nothing is synchronized.
 *
 * @throws UsageError, MissingDriverError
 */
export async function targetOfFile(file: string, context: Context): Promise<Target> {
  const path = resolve(context.folder, file);
  if (!existsSync(path)) {
    throw new UsageError(`--data-source: the file ${path} does not exist.`);
  }
  const dataSource = onlyDataSource(await load(path, file), file);
  const { options } = dataSource;
  const { type } = options;
  if (type !== 'mysql' && type !== 'mariadb' && type !== 'better-sqlite3') {
    throw new UsageError(`--data-source: ${file} is of type "${type}", but must be mysql, mariadb or better-sqlite3.`);
  }
  addSecrets(options, file, context);
  const hasDriver = (options as { driver?: unknown }).driver !== undefined;
  return {
    options: { ...options, ...(!hasDriver && driverOptions(type, dirname(path))) } as DataSourceOptions,
    name: nameOf(type, options),
    prefix: prefixOf(options),
    isAbsent: type === 'better-sqlite3' && !exists(options.database),
    release: async () => {
      if (dataSource.isInitialized) {
        await dataSource.destroy();
      }
    },
  };
}

/** Relative to the working directory of the process, as for the driver. */
function exists(database: string): boolean {
  return database === '' || database === ':memory:' || existsSync(database);
}

async function load(path: string, file: string): Promise<object> {
  if (statSync(path).isDirectory() || extname(path) === '.json') {
    throw new UsageError(`--data-source: ${file} is not a JavaScript module. ${GIVE_COMPILED}`);
  }
  try {
    return (await import(pathToFileURL(path).href)) as object;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw new UsageError(`--data-source: this Node.js cannot run ${file}. ${GIVE_COMPILED}`);
    }
    throw new UsageError(`--data-source: ${file} cannot be loaded: ${reasonOf(error)}.`, { cause: error });
  }
}

const GIVE_COMPILED = 'Give the compiled file: ./dist/data-source.js';

/** The first line, without a full stop at its end. A module may throw any value. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return (text.split('\n', 1)[0] ?? '').replace(/\.$/, '');
}

/** Finds the data source, which may have any name, also in a CommonJS module. */
function onlyDataSource(module: object, file: string): DataSource {
  const { default: defaultExport } = module as { default?: unknown };
  const values = [...Object.values(module), ...(isPlain(defaultExport) ? Object.values(defaultExport) : [])];
  const found = new Set(values.filter((value) => InstanceChecker.isDataSource(value)));
  const [dataSource] = found;
  if (!dataSource || found.size > 1) {
    throw new UsageError(`--data-source: ${file} exports ${found.size || 'no'} data sources, but must export one.`);
  }
  return dataSource;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !InstanceChecker.isDataSource(value);
}

function addSecrets(options: DataSourceOptions, file: string, context: Context): void {
  const { url, password, replication } = options as {
    readonly url?: string;
    readonly password?: unknown;
    readonly replication?: { readonly master: object; readonly slaves?: readonly object[] };
  };
  context.secrets.add(password);
  if (url && URL.canParse(url)) {
    context.secrets.add(parseServerUrl(url, `--data-source: the url of ${file}`).password);
  }
  for (const each of replication ? [replication.master, ...(replication.slaves ?? [])] : []) {
    addSecrets(each as DataSourceOptions, file, context);
  }
}

function nameOf(type: DatabaseType, options: DataSourceOptions): string {
  if (type === 'better-sqlite3') {
    return `sqlite:${String(options.database)}`;
  }
  const { url, replication } = options as { readonly url?: string; readonly replication?: { readonly master: object } };
  const written = { ...options, ...replication?.master } as {
    readonly host?: string;
    readonly port?: number;
    readonly username?: string;
    readonly database?: string;
  };
  if (url && URL.canParse(url)) {
    const { hostname, port, username, pathname } = new URL(url);
    return `${type}://${username}@${hostname}:${port || 3306}${pathname}`;
  }
  const { username, host, port, database } = written;
  return `${type}://${username ?? ''}@${host ?? 'localhost'}:${port ?? 3306}/${database ?? ''}`;
}

/** Returns the prefix of the queue's entities in the data source. */
function prefixOf({ entities = {} }: DataSourceOptions): string | undefined {
  for (const entity of Object.values(entities) as unknown[]) {
    if (InstanceChecker.isEntitySchema(entity) && entity.options.name === 'TableQueueJob') {
      return entity.options.tableName?.replace(/job$/, '');
    }
  }
  return undefined;
}
