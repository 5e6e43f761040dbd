import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { upTableQueue } from '@tablequeue/typeorm';
import mysql from 'mysql2/promise';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { makeDataFolder } from '../servers/data-folder.js';
import type { Engine } from '../servers/engines.js';
import type { ServerEngine } from '../servers/server.js';
import { connectionOptions } from './connection-options.js';
import { serverUrl } from './servers.js';

/** A database of a test's own. */
export interface TestDatabase {
  readonly engine: Engine;
  /** `mysql://…/name`, or the path of the SQLite file. */
  readonly url: string;
  /** Options for a data source with the queue's entities and `Note`. */
  options(extra?: object): DataSourceOptions;
  /** A connected data source. It is closed with the database. */
  connect(extra?: object): Promise<DataSource>;
  /** Closes everything and drops it. */
  drop(): Promise<void>;
}

/** What an application needs of a database. */
export type ApplicationDatabase = Pick<TestDatabase, 'engine' | 'options'>;

/** Where a database is made, and how. */
interface EmptyDatabaseOptions {
  /** Another server than that of the run. */
  readonly server?: string | undefined;
  /** Of a server's, as in `CREATE DATABASE`. */
  readonly charset?: string;
}

/** Creates an empty database. */
export async function createEmptyDatabase(
  engine: Engine,
  { server = serverUrl(engine), charset = 'DEFAULT CHARACTER SET utf8mb4' }: EmptyDatabaseOptions = {},
): Promise<TestDatabase> {
  return engine === 'sqlite' ? sqliteDatabase() : serverDatabase(engine, server, charset);
}

/**
 * Creates a database with the queue's tables, `note`, and `run`, in which processes write what they have run.
 *
 * @param server another one than that of the run.
 */
export async function createDatabase(engine: Engine, server?: string): Promise<TestDatabase> {
  const database = await createEmptyDatabase(engine, { server });
  const dataSource = new DataSource(database.options());
  await dataSource.initialize();
  await createTables(dataSource);
  await dataSource.destroy();
  return database;
}

/** Creates the queue's tables, `note` and `run`. */
export async function createTables(dataSource: DataSource): Promise<void> {
  const queryRunner = dataSource.createQueryRunner();
  await upTableQueue(queryRunner);
  const { entityPrefix = '' } = dataSource.options;
  await queryRunner.query(
    `CREATE TABLE ${entityPrefix}note (id INTEGER NOT NULL PRIMARY KEY, text VARCHAR(200) NOT NULL)`,
  );
  // Clusters want primary keys.
  const id =
    dataSource.options.type === 'better-sqlite3' ? 'INTEGER PRIMARY KEY' : 'INTEGER AUTO_INCREMENT PRIMARY KEY';
  await queryRunner.query(`CREATE TABLE run (id ${id}, job INTEGER NOT NULL, process INTEGER NOT NULL)`);
  await queryRunner.release();
}

async function sqliteDatabase(): Promise<TestDatabase> {
  const folder = await makeDataFolder('tablequeue-sqlite-');
  const url = join(folder, 'database.sqlite');
  return assemble('sqlite', url, () => rm(folder, { recursive: true, force: true }));
}

async function serverDatabase(
  engine: ServerEngine,
  server: string | undefined,
  charset: string,
): Promise<TestDatabase> {
  if (!server) {
    throw new Error(`no ${engine} server in this run`);
  }
  const name = `tq_${randomBytes(6).toString('hex')}`;
  const admin = await mysql.createConnection(server);
  await admin.query(`CREATE DATABASE ${name} ${charset}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return assemble(engine, url.href, async () => {
    await admin.query(`DROP DATABASE ${name}`);
    await admin.end();
  });
}

function assemble(engine: Engine, url: string, remove: () => Promise<void>): TestDatabase {
  const open: DataSource[] = [];
  const options = (extra: object = {}) => ({ ...connectionOptions(engine, url), ...extra }) as DataSourceOptions;
  return {
    engine,
    url,
    options,
    async connect(extra) {
      const dataSource = new DataSource(options(extra));
      open.push(dataSource);
      return dataSource.initialize();
    },
    async drop() {
      await Promise.all(open.filter(({ isInitialized }) => isInitialized).map((each) => each.destroy()));
      await remove();
    },
  };
}
