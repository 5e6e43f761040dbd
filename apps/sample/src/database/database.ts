import { fileURLToPath } from 'node:url';

import type { QueueDatabaseType } from '@tablequeue/typeorm';
import type { DataSourceOptions } from 'typeorm';

import { CreateShop1763600000000 } from './1763600000000-create-shop.js';

const FILE = fileURLToPath(new URL('../../shop.sqlite', import.meta.url));

/**
 * Returns the options of the shop's database: `DATABASE_URL=mysql://user:password@host:3306/shop` for MySQL and
 * MariaDB, `sqlite:/path/to/file` or nothing for SQLite.
 */
export function databaseOptions(url = process.env.DATABASE_URL || `sqlite:${FILE}`): DataSourceOptions & {
  type: QueueDatabaseType;
} {
  const common = { migrations: [CreateShop1763600000000], migrationsRun: true };
  if (url.startsWith('sqlite:')) {
    // With a write-ahead log, readers and the writer do not block one another.
    return { ...common, type: 'better-sqlite3', database: url.slice('sqlite:'.length), enableWAL: true };
  }
  if (/^(mysql|mariadb):/.test(url)) {
    return { ...common, type: 'mysql', url: url.replace(/^mariadb:/, 'mysql:') };
  }
  // The error does not contain the URL, because it may contain a password.
  throw new Error('DATABASE_URL must begin with mysql:, mariadb: or sqlite:');
}
