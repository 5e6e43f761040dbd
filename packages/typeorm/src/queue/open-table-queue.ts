import { resolve } from 'node:path';

import { DataSource, type DataSourceOptions } from 'typeorm';

import { unavailable } from '../engine/mysql/translate-error.js';
import { acceptAnyType } from '../engine/mysql/server/warn-of-wrong-type.js';
import { InvalidOptionError } from '../errors/index.js';
import type { QueueDatabaseType } from '../tables/column-types.js';
import { type TableOptions, tableQueueEntities } from '../tables/entities.js';
import { readServerUrl } from './server-url.js';
import { TableQueue } from './table-queue.js';
import type { TableQueueOptions } from './table-queue-options.js';

/** Options of `openTableQueue`. */
export interface OpenOptions extends TableQueueOptions, TableOptions {}

const ACCEPTED = 'mysql://user:password@host:3306/database, mariadb://… or sqlite:./file.sqlite';

/**
 * Connects to a database and opens the queue in it, for applications that do not use TypeORM. The tables must exist:
 * `npx tablequeue migrate` creates them. To close the connections, stop the workers and then call
 * `queue.dataSource.destroy()`.
 *
 * @example
 * ```ts
 * const queue = await openTableQueue('mysql://shop:secret@localhost:3306/shop');
 * const worker = new TableQueueWorker(queue, [jobHandler(sendMail, ({ to }) => mailer.send(to))]);
 * await worker.start();
 * ```
 *
 * @param url `mysql://user:password@host:3306/database`, `mariadb://…` or `sqlite:./file.sqlite`. Encode characters such
 *   as `/`, `@` and `#` in a password. For TLS and other settings, create a `DataSource` and use `new TableQueue`.
 * @throws InvalidOptionError for another URL, or an option with a wrong value; UnknownOptionError.
 * @throws DatabaseUnavailableError if the connection fails.
 */
export async function openTableQueue(url: string, options: OpenOptions = {}): Promise<TableQueue> {
  const { prefix, ...queueOptions } = options;
  const connection = connectionOf(url);
  const entities = tableQueueEntities(connection.type, prefix === undefined ? {} : { prefix });
  const dataSource = new DataSource({ ...connection, entities } as DataSourceOptions);
  try {
    await dataSource.initialize();
  } catch (error) {
    throw unavailable('connect to the database', error);
  }
  acceptAnyType(dataSource);
  try {
    return new TableQueue(dataSource, queueOptions);
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/** @throws InvalidOptionError without the URL, which contains a password. */
function connectionOf(text: string): Readonly<Record<string, unknown>> & { readonly type: QueueDatabaseType } {
  const [, scheme = '', rest = ''] = /^(mysql|mariadb|sqlite):(.*)$/is.exec(text) ?? [];
  const type = scheme.toLowerCase();
  if (type === 'sqlite') {
    const path = rest.replace(/^\/\/(?=\/|\.)/, '');
    if (path === '' || path.startsWith('//') || path === ':memory:') {
      throw new InvalidOptionError('url', `sqlite:${path}`, 'sqlite:./file.sqlite or sqlite:/path/to/file.sqlite');
    }
    return { type: 'better-sqlite3', database: resolve(path) };
  }
  const url = type !== '' && URL.canParse(text) ? new URL(text) : undefined;
  const server = url && readServerUrl(url);
  if (!server || server.host === '' || server.database === '' || url?.search !== '') {
    throw new InvalidOptionError('url', scheme === '' ? typeof text : `${scheme}:…`, `${ACCEPTED}, without parameters`);
  }
  return {
    type: type as 'mysql' | 'mariadb',
    // TypeORM 0.3 prefers another package.
    connectorPackage: 'mysql2',
    // Not as a URL: TypeORM decodes an unescaped % in a password as the start of an encoded character.
    ...server,
  } as const;
}
