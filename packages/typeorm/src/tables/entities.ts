import type { EntitySchema } from 'typeorm';

import { InvalidOptionError, PartitionsUnsupportedError, UnsupportedDatabaseError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { TABLES } from './all-tables.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';
import type { HistoryPartition } from './table.js';

/** Options of `tableQueueEntities`. */
export interface TableOptions {
  /** The prefix of the tables' names: 1 to 32 letters, digits or `_`. Default: `'tq_'`. */
  readonly prefix?: string;
  /**
   * `'day'` if the history has day partitions, created by `upTableQueue` with the same option or by `partitionHistory`.
   * Only on MySQL and MariaDB. Default: no partitions.
   */
  readonly partitionHistory?: HistoryPartition;
}

const DEFAULT_PREFIX = 'tq_';

/** One array for each type and prefix, so that lists that compare entities by identity contain them once. */
const made = new Map<string, readonly EntitySchema[]>();

/**
 * Returns the queue's entities, for the `entities` of a data source.
 *
 *     new DataSource({ type: 'mariadb', url, entities: [...tableQueueEntities('mariadb'), Order] });
 *
 * @param databaseType the `type` of the data source, because the column types differ.
 * @throws UnsupportedDatabaseError for another type.
 * @throws PartitionsUnsupportedError for day partitions on SQLite.
 * @throws InvalidOptionError, UnknownOptionError for invalid options.
 */
export function tableQueueEntities(databaseType: QueueDatabaseType, options: TableOptions = {}): EntitySchema[] {
  if (!Object.hasOwn(columnTypes, databaseType)) {
    throw new UnsupportedDatabaseError(`a data source of type "${databaseType as string}"`);
  }
  assertKnownOptions(options, ['prefix', 'partitionHistory']);
  const prefix = resolvePrefix(options.prefix);
  const partition = resolvePartition(databaseType, options.partitionHistory);
  const key = `${databaseType} ${prefix} ${partition}`;
  let entities = made.get(key);
  if (!entities) {
    entities = Object.values(TABLES).map((table) => table.schema(databaseType, prefix, partition) as EntitySchema);
    made.set(key, entities);
  }
  return [...entities];
}

/** @throws InvalidOptionError, PartitionsUnsupportedError */
export function resolvePartition(
  databaseType: QueueDatabaseType,
  partition: HistoryPartition | undefined,
): HistoryPartition | undefined {
  if (partition !== undefined && partition !== 'day') {
    throw new InvalidOptionError('partitionHistory', partition, "'day', or left out");
  }
  if (partition === 'day' && databaseType === 'better-sqlite3') {
    throw new PartitionsUnsupportedError(databaseType);
  }
  return partition;
}

/** Validates the prefix, which becomes part of the tables' names. */
export function resolvePrefix(prefix = DEFAULT_PREFIX): string {
  if (typeof prefix !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(prefix)) {
    throw new InvalidOptionError('prefix', prefix, '1 to 32 letters, digits or _, and must not begin with a digit');
  }
  return prefix;
}
