import {
  type HistoryPartition,
  InvalidOptionError,
  type MaintenanceIntervals,
  type QueueDatabaseType,
  type TableQueueOptions,
  type WorkerOptions,
} from '@tablequeue/typeorm';
import { QUEUE_OPTIONS, WORKER_OPTIONS, assertKnownOptions, resolveMaintenance } from '@tablequeue/typeorm/internal';

import { type ProcessRole, ROLE_OPTIONS, type RoleOptions, resolveProcessRole } from './roles/process-role.js';

/** Options of `TableQueueModule` that may come from a factory. */
export interface TableQueueModuleOptions extends TableQueueOptions, RoleOptions, Omit<WorkerOptions, 'maintenance'> {
  /**
   * How often due jobs, dead workers, finished jobs to delete and schedules of other processes are looked for, over all
   * processes together. Default: every 30 s, 5 s, 10 min and 30 s.
   */
  readonly maintenance?: MaintenanceIntervals;
}

/** Options of `TableQueueModule` that have to be known before any factory runs. */
export interface TableQueueModuleExtras {
  /** Whether `TableQueue` can be injected everywhere without importing the module. Default: true. */
  readonly isGlobal?: boolean;
  /** The name of the data source. Default: the unnamed one. */
  readonly dataSource?: string;
  /** The `type` of that data source: the entities depend on it. Default: `'mysql'`, which serves MariaDB as well. */
  readonly databaseType?: QueueDatabaseType;
  /** What the tables' names begin with. Default: `'tq_'`. */
  readonly prefix?: string;
  /** `'day'` where the migration has put the history into day partitions. Default: it has not. */
  readonly partitionHistory?: HistoryPartition;
}

/** Module options in the parts that are used in different places. */
export interface ResolvedModuleOptions {
  readonly queue: TableQueueOptions;
  readonly worker: WorkerOptions;
  readonly process: ProcessRole;
  /** In ms. */
  readonly maintenance: Readonly<Record<keyof MaintenanceIntervals, number>>;
}

const EXTRAS = ['isGlobal', 'dataSource', 'databaseType', 'prefix', 'partitionHistory'];

/** @throws InvalidOptionError, UnknownOptionError, InvalidEnvironmentError */
export function resolveModuleOptions(options: TableQueueModuleOptions): ResolvedModuleOptions {
  assertKnownOptions(options, [...WORKER_OPTIONS, ...QUEUE_OPTIONS, ...ROLE_OPTIONS, ...EXTRAS]);
  for (const [option, value] of Object.entries(options).filter(([name]) => EXTRAS.includes(name))) {
    // forRoot takes them out, so it was a factory that returned it, when it is too late.
    throw new InvalidOptionError(option, value, 'given to forRootAsync itself, beside useFactory');
  }
  const { maintenance, ...rest } = options;
  const pick = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(rest).filter(([name]) => names.includes(name)));
  return {
    queue: pick(QUEUE_OPTIONS),
    // The scheduler of the application does it.
    worker: { ...pick(WORKER_OPTIONS), maintenance: false },
    process: resolveProcessRole(options),
    maintenance: resolveMaintenance(maintenance),
  };
}
