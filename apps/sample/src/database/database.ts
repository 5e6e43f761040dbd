import { fileURLToPath } from 'node:url';

import type { QueueDatabaseType } from '@tablequeue/typeorm';
import type { DataSourceOptions } from 'typeorm';

import { CreateShop1763600000000 } from './1763600000000-create-shop.js';

const FILE = fileURLToPath(new URL('../../shop.sqlite', import.meta.url));

/**
 * Where the shop keeps its orders and its jobs: `DATABASE_URL=mysql://user:password@host:3306/shop` for MySQL and
 * MariaDB, `sqlite:/path/to/file` or nothing for SQLite.
 */
export function databaseOptions(url = process.env.DATABASE_URL || `sqlite:${FILE}`): DataSourceOptions & {
  type: QueueDatabaseType;
} {
  const common = { migrations: [CreateShop1763600000000], migrationsRun: true };
  if (url.startsWith('sqlite:')) {
    // With a write-ahead log the processes that read, for a page, and the one that writes do not wait for one another.
    return { ...common, type: 'better-sqlite3', database: url.slice('sqlite:'.length), enableWAL: true };
  }
  if (/^(mysql|mariadb):/.test(url)) {
    return { ...common, type: 'mysql', url: url.replace(/^mariadb:/, 'mysql:') };
  }
  // Not the URL, which may have a password in it.
  throw new Error('DATABASE_URL must begin with mysql:, mariadb: or sqlite:');
}
