import { InvalidOptionError, type QueueDatabaseType } from '@tablequeue/typeorm';
import { resolvePrefix } from '@tablequeue/typeorm/internal';

import { resolveDataSourceName } from './data-source.name.js';

/** Options of `TableQueueModule` that are needed before a factory runs. */
export interface TableQueueModuleExtras {
  /** Whether `TableQueue` can be injected everywhere without importing the module. Default: true. */
  readonly isGlobal?: boolean;
  /**
   * The name of the data source, as passed to `TypeOrmModule.forRoot`. Inject the queue of a named data source with
   * `@InjectTableQueue`. Default: the default data source, which has no name.
   */
  readonly dataSource?: string;
  /** The `type` of the data source, on which the entities depend. Default: `'mysql'`, which also fits MariaDB. */
  readonly databaseType?: QueueDatabaseType;
  /** The prefix of the tables' names. A data source has one. Default: `'tq_'`. */
  readonly prefix?: string;
}

/** The extras, checked and complete. */
export type ResolvedModuleExtras = Required<TableQueueModuleExtras>;

/** The defaults for Nest's builder, which knows the extras by these names. */
export const NO_EXTRAS: Readonly<Record<keyof TableQueueModuleExtras, undefined>> = {
  isGlobal: undefined,
  dataSource: undefined,
  databaseType: undefined,
  prefix: undefined,
};

export const EXTRAS: readonly string[] = Object.keys(NO_EXTRAS);

/** @throws InvalidOptionError */
export function resolveModuleExtras(extras: TableQueueModuleExtras): ResolvedModuleExtras {
  const { isGlobal = true, dataSource, databaseType = 'mysql', prefix } = extras;
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
  };
}
