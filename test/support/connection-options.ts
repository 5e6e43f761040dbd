import { tableQueueEntities } from '@tablequeue/typeorm';
import type { DataSourceOptions } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { NoteSchema } from './note.js';

/** The driver type of each engine. */
export const DATABASE_TYPES = {
  sqlite: 'better-sqlite3',
  mariadb: 'mariadb',
  mariadb118: 'mariadb',
  mysql: 'mysql',
  mysql56: 'mysql',
} as const;

/** Options for a data source with the queue's entities and `Note`. */
export function connectionOptions(engine: Engine, url: string): DataSourceOptions {
  const type = DATABASE_TYPES[engine];
  const entities = [...tableQueueEntities(type), NoteSchema];
  return type === 'better-sqlite3' ? { type, database: url, entities } : { type, url, entities };
}
