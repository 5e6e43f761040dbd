import { Logger } from '@nestjs/common';
import {
  type AnyJobDefinition,
  InvalidOptionError,
  type MaintenanceIntervals,
  type TableQueueOptions,
  type WorkerOptions,
} from '@tablequeue/typeorm';
import {
  QUEUE_OPTIONS,
  WORKER_OPTIONS,
  assertKnownOptions,
  resolveMaintenance,
  resolveRetention,
  resolveTableQueueOptions,
  resolveWorkerOptions,
} from '@tablequeue/typeorm/internal';

import { qualifiedName } from './data-source.name.js';
import { definitionsByName } from './job-definition.map.js';
import { EXTRAS, type ResolvedModuleExtras } from './table-queue.extras.js';

import { type ProcessRole, ROLE_OPTIONS, type RoleOptions, resolveProcessRole } from '../roles/process.role.js';

/** Options of `TableQueueModule` that may come from a factory. */
export interface TableQueueModuleOptions extends TableQueueOptions, RoleOptions, Omit<WorkerOptions, 'maintenance'> {
  /**
   * How often due jobs, dead workers, finished jobs to delete and schedules of other processes are looked for, over all
   * processes together. Default: every 30 s, 5 s, 10 min and 30 s.
   */
  readonly maintenance?: MaintenanceIntervals;
  /** The definitions that `@QueueHandler` may name instead of importing them. Default: none. */
  readonly definitions?: readonly AnyJobDefinition[];
}

/** What `useClass` and `useExisting` of `TableQueueModule.forRootAsync` are to implement. */
export interface TableQueueModuleOptionsFactory {
  /** Returns the options. Called once, when the application starts. */
  createTableQueueOptions(): TableQueueModuleOptions | Promise<TableQueueModuleOptions>;
}

/** Module options in the parts that are used in different places. */
export interface ResolvedModuleOptions {
  /** The name of the data source. */
  readonly dataSource: string;
  /** The module's own; its context tells queues apart. */
  readonly logger: Logger;
  readonly queue: TableQueueOptions;
  readonly worker: WorkerOptions;
  readonly process: ProcessRole;
  /** In ms. */
  readonly maintenance: Readonly<Record<keyof MaintenanceIntervals, number>>;
  readonly definitions: ReadonlyMap<string, AnyJobDefinition>;
}

/** The names of the options. */
export const MODULE_OPTIONS: readonly string[] = [
  ...new Set([...WORKER_OPTIONS, ...QUEUE_OPTIONS, ...ROLE_OPTIONS, 'definitions']),
];

/** @throws InvalidOptionError, InvalidNameError, UnknownOptionError, DuplicateDefinitionError, InvalidEnvironmentError */
export function resolveModuleOptions(
  options: TableQueueModuleOptions,
  { dataSource }: Pick<ResolvedModuleExtras, 'dataSource'>,
): ResolvedModuleOptions {
  assertKnownOptions(options, [...MODULE_OPTIONS, ...EXTRAS]);
  for (const [option, value] of Object.entries(options).filter(([name]) => EXTRAS.includes(name))) {
    // forRoot takes them out, so it was a factory that returned it, when it is too late.
    throw new InvalidOptionError(option, value, 'given to forRootAsync itself, beside useFactory');
  }
  const { maintenance, definitions = [], ...rest } = options;
  const pick = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(rest).filter(([name]) => names.includes(name)));
  const logger = new Logger(qualifiedName('TableQueue', dataSource));
  const resolved = {
    dataSource,
    logger,
    queue: { logger, ...pick(QUEUE_OPTIONS) },
    // The scheduler of the application does it.
    worker: { logger, ...pick(WORKER_OPTIONS), maintenance: false as const },
    process: resolveProcessRole(options),
    maintenance: resolveMaintenance(maintenance),
    definitions: definitionsByName(definitions),
  };
  // Here already, because a process without handlers makes no worker.
  resolveTableQueueOptions(resolved.queue);
  resolveRetention(resolveWorkerOptions(resolved.worker).retention);
  return resolved;
}
