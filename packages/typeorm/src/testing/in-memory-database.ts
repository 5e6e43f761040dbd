import type { DataSourceOptions, EntitySchema } from 'typeorm';

import { tableQueueEntities } from '../tables/entities.js';

/** An entity of an application: its class or its schema. */
export type TestEntity = (new (...args: never[]) => object) | EntitySchema;

/** Options for TypeORM's `DataSource`. */
export type InMemoryDatabase = Extract<DataSourceOptions, { readonly type: 'better-sqlite3' }>;

/**
 * Options for a data source with an SQLite database of its own in memory, which ends with it. The tables of the queue and
 * of the application's entities are created when it is initialised. better-sqlite3 has to be installed.
 *
 * @param prefix what the names of the queue's tables begin with. Default: `'tq_'`.
 */
export function inMemoryDatabase(entities: readonly TestEntity[] = [], prefix?: string): InMemoryDatabase {
  return {
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [...tableQueueEntities('better-sqlite3', { prefix }), ...entities],
    synchronize: true,
  };
}
