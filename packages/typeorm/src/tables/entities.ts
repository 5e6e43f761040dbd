import type { EntitySchema } from 'typeorm';

import { InvalidOptionError, UnsupportedDatabaseError } from '../errors/index.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';
import { errorSchema } from './error.js';
import { cancellationSchema } from './cancellation.js';
import { failureSchema } from './failure.js';
import { groupSchema } from './group.js';
import { historySchema } from './history.js';
import { jobSchema } from './job.js';
import { keySchema } from './key.js';
import { lockSchema } from './lock.js';
import { maintenanceSchema } from './maintenance.js';
import { memberSchema } from './member.js';
import { queueSchema } from './queue.js';
import { scheduleSchema } from './schedule.js';
import { uniqueSchema } from './unique.js';
import { workerSchema } from './worker.js';

/** What the tables' names begin with. */
export interface TablePrefixOptions {
  /** Default: `'tq_'`. */
  readonly prefix?: string;
}

const DEFAULT_PREFIX = 'tq_';

/** In the order of `table-names.ts`. */
const SCHEMAS = [
  jobSchema, //
  historySchema,
  errorSchema,
  keySchema,
  workerSchema,
  maintenanceSchema,
  queueSchema,
  cancellationSchema,
  failureSchema,
  scheduleSchema,
  lockSchema,
  uniqueSchema,
  groupSchema,
  memberSchema,
];

/** By type and prefix: made once, so that lists that tell entities apart by identity do not collect them again. */
const made = new Map<string, readonly EntitySchema[]>();

/**
 * The queue's entities, for the `entities` of a data source.
 *
 * @param databaseType the `type` of that data source: column types differ between MySQL and SQLite.
 * @throws UnsupportedDatabaseError, InvalidOptionError
 */
export function tableQueueEntities(
  databaseType: QueueDatabaseType,
  { prefix }: TablePrefixOptions = {},
): EntitySchema[] {
  if (!Object.hasOwn(columnTypes, databaseType)) {
    throw new UnsupportedDatabaseError(`a data source of type "${databaseType as string}"`);
  }
  const checked = resolvePrefix(prefix);
  const key = `${databaseType} ${checked}`;
  let entities = made.get(key);
  if (!entities) {
    entities = SCHEMAS.map((schema) => schema(databaseType, checked)) as EntitySchema[];
    made.set(key, entities);
  }
  return [...entities];
}

/** The prefix to use; it becomes part of table names, so its letters are few. */
export function resolvePrefix(prefix = DEFAULT_PREFIX): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(prefix)) {
    throw new InvalidOptionError('prefix', prefix, '1 to 32 letters, digits or _, not beginning with a digit');
  }
  return prefix;
}
