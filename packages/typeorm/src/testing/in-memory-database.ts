import type { DataSourceOptions, EntitySchema } from 'typeorm';

import { tableQueueEntities } from '../tables/entities.js';

/** An entity of the application: its class or its schema. */
export type TestEntity = (new (...args: never[]) => object) | EntitySchema;

/** Options of a `DataSource` with SQLite in memory. */
export type InMemoryDatabase = Extract<DataSourceOptions, { readonly type: 'better-sqlite3' }>;

/**
 * Returns the options of a data source with its own SQLite database in memory. Its tables, those of the queue and of
 * your entities, are created by `initialize()`. Requires better-sqlite3.
 *
 * @param entities the entities of your application. Default: none.
 * @param prefix the prefix of the queue's table names. Default: `'tq_'`.
 */
export function inMemoryDatabase(entities: readonly TestEntity[] = [], prefix?: string): InMemoryDatabase {
  return {
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [...tableQueueEntities('better-sqlite3', { prefix }), ...entities],
    synchronize: true,
  };
}
