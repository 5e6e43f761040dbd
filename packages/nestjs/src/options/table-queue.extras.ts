import { InvalidOptionError, type QueueDatabaseType } from '@tablequeue/typeorm';
import { type HistoryPartition, resolvePrefix } from '@tablequeue/typeorm/internal';

import { resolveDataSourceName } from './data-source.name.js';

/** Options of `TableQueueModule` that have to be known before any factory runs. */
export interface TableQueueModuleExtras {
  /** Whether `TableQueue` can be injected everywhere without importing the module. Default: true. */
  readonly isGlobal?: boolean;
  /**
   * The name of the data source, as `TypeOrmModule.forRoot` was given it. The queue of a named one is injected by
   * `@InjectTableQueue`. Default: the default data source, which has no name.
   */
  readonly dataSource?: string;
  /** The `type` of that data source: the entities depend on it. Default: `'mysql'`, which serves MariaDB as well. */
  readonly databaseType?: QueueDatabaseType;
  /** What the tables' names begin with; one for a data source. Default: `'tq_'`. */
  readonly prefix?: string;
  /** `'day'` where the migration has put the history into day partitions. Default: it has not. */
  readonly partitionHistory?: HistoryPartition;
}

/** The extras, checked and complete. */
export interface ResolvedModuleExtras extends Required<Omit<TableQueueModuleExtras, 'partitionHistory'>> {
  /** Checked where the entities are made. */
  readonly partitionHistory: HistoryPartition | undefined;
}

/** What Nest's builder takes for the extras where they are not given. It knows them by these names. */
export const NO_EXTRAS: Readonly<Record<keyof TableQueueModuleExtras, undefined>> = {
  isGlobal: undefined,
  dataSource: undefined,
  databaseType: undefined,
  prefix: undefined,
  partitionHistory: undefined,
};

/** Their names. */
export const EXTRAS: readonly string[] = Object.keys(NO_EXTRAS);

/** @throws InvalidOptionError */
export function resolveModuleExtras(extras: TableQueueModuleExtras): ResolvedModuleExtras {
  const { isGlobal = true, dataSource, databaseType = 'mysql', prefix, partitionHistory } = extras;
  if (typeof isGlobal !== 'boolean') {
    throw new InvalidOptionError('isGlobal', isGlobal, 'true or false');
  }
  if (typeof databaseType !== 'string') {
    throw new InvalidOptionError('databaseType', databaseType, "the type of the data source, such as 'mysql'");
  }
  return {
    isGlobal,
    dataSource: resolveDataSourceName('dataSource', dataSource),
    databaseType,
    prefix: resolvePrefix(prefix),
    partitionHistory,
  };
}
