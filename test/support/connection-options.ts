import { tableQueueEntities } from '@tablequeue/typeorm';
import type { DataSourceOptions } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { NoteSchema } from './note.js';

/** Options for a data source with the queue's entities and `Note`. */
export function connectionOptions(engine: Engine, url: string): DataSourceOptions {
  const entities = [...tableQueueEntities(engine === 'sqlite' ? 'better-sqlite3' : engine), NoteSchema];
  return engine === 'sqlite' ? { type: 'better-sqlite3', database: url, entities } : { type: engine, url, entities };
}
