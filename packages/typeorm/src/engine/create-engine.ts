import type { DataSource } from 'typeorm';

import { UnsupportedDatabaseError } from '../errors/index.js';
import { type DatabaseClock, databaseClock } from './clock.js';
import type { Engine } from './engine.js';
import { MysqlEngine } from './mysql/mysql-engine.js';
import { SqliteEngine } from './sqlite/sqlite-engine.js';

/**
 * The engine for a data source's kind of database. A new kind of server is added here.
 *
 * @param prepares whether statements that recur are prepared, where that pays.
 */
export function createEngine(dataSource: DataSource, clock: DatabaseClock = databaseClock, prepares = true): Engine {
  switch (dataSource.options.type) {
    case 'mysql':
    case 'mariadb':
      return MysqlEngine.on(dataSource, clock, prepares);
    case 'better-sqlite3':
      return new SqliteEngine(dataSource, clock);
    default:
      throw new UnsupportedDatabaseError(`a data source of type "${dataSource.options.type}"`);
  }
}
