import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { readServerUrl } from '@tablequeue/typeorm/internal';
import type { DataSourceOptions } from 'typeorm';

import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { driverOptions } from './driver.js';
import type { Target } from './target.js';

const ACCEPTED = 'mysql://user:password@host:3306/database, mariadb://… or sqlite:./file.sqlite';

/**
 * Returns the database of a URL.
 *
 * @param origin the option or variable with the URL. Errors name it instead of the URL, which contains a password.
 * @throws UsageError, MissingDriverError
 */
export function targetOfUrl(url: string, origin: string, context: Context): Target {
  const [, scheme, rest = ''] = /^([a-z0-9+]+):(.*)$/is.exec(url) ?? [];
  switch (scheme?.toLowerCase()) {
    case 'mysql':
    case 'mariadb':
      return serverTarget(scheme.toLowerCase() as 'mysql' | 'mariadb', url, origin, context);
    case 'sqlite':
      return fileTarget(rest, origin, context);
    default:
      throw new UsageError(`${origin} is ${scheme ? `a URL of "${scheme}:"` : 'not a URL'}, but must be ${ACCEPTED}.`);
  }
}

function serverTarget(type: 'mysql' | 'mariadb', text: string, origin: string, context: Context): Target {
  const url = parseServerUrl(text, origin);
  context.secrets.add(url.password);
  if ((url.search + url.hash).includes('@')) {
    throw notEncoded(origin);
  }
  if (url.search !== '') {
    const names = [...new Set(url.searchParams.keys())].join(', ');
    throw new UsageError(
      `${origin} has parameters (${names}), which are not supported. Use --data-source for such settings.`,
    );
  }
  const server = readServerUrl(url);
  const { port, username, database } = server;
  if (database === '' || server.host === '') {
    throw new UsageError(`${origin} contains no ${server.host === '' ? 'host' : 'database'}. It must be ${ACCEPTED}.`);
  }
  // Not as a URL: TypeORM decodes an unescaped % in a password as the start of an encoded character.
  const options: DataSourceOptions = { type, ...server };
  return {
    options: { ...options, ...driverOptions(type, context.folder) },
    name: `${type}://${username}@${url.hostname}:${port}/${database}`,
    prefix: undefined,
    isOfUrl: true,
    release: async () => undefined,
  };
}

/**
 * Parses the URL of a server. A plain `/` in a password ends it: the rest of the password would be used, and printed,
 * as the host and the database.
 *
 * @throws UsageError
 */
export function parseServerUrl(text: string, origin: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || /^\/.*\/|@/.test(url.pathname)) {
    throw notEncoded(origin);
  }
  return url;
}

function notEncoded(origin: string): UsageError {
  return new UsageError(`${origin} is not a valid URL. Encode characters such as / @ # in a password as %2F %40 %23.`);
}

function fileTarget(rest: string, origin: string, context: Context): Target {
  const path = rest.replace(/^\/\/(?=\/|\.)/, '');
  if (path === '' || path.startsWith('//') || path === ':memory:') {
    throw new UsageError(`${origin} contains no file. It must be sqlite:./file.sqlite or sqlite:/path/to/file.sqlite.`);
  }
  const file = resolve(context.folder, path);
  return {
    options: {
      type: 'better-sqlite3',
      database: file,
      ...driverOptions('better-sqlite3', context.folder),
    },
    name: `sqlite:${path}`,
    prefix: undefined,
    release: async () => undefined,
    isAbsent: !existsSync(file),
  };
}
