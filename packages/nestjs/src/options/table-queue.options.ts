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
  assertJobDefinition,
  assertKnownOptions,
  resolveMaintenance,
  resolveRetention,
  resolveTableQueueOptions,
  resolveWorkerOptions,
} from '@tablequeue/typeorm/internal';

import { DuplicateDefinitionError } from '../errors/index.js';
import { type ProcessRole, ROLE_OPTIONS, type RoleOptions, resolveProcessRole } from '../roles/process.role.js';
import { qualifiedName } from './data-source.name.js';
import { EXTRAS, type ResolvedModuleExtras } from './table-queue.extras.js';

/** Options of `TableQueueModule` that may come from a factory. */
export interface TableQueueModuleOptions extends TableQueueOptions, RoleOptions, Omit<WorkerOptions, 'maintenance'> {
  /**
   * How often the maintenance tasks run, over all processes together: retry due jobs, reap dead workers, prune finished
   * jobs, fire schedules. Default: every 30 s, 5 s, 10 min and 30 s.
   */
  readonly maintenance?: MaintenanceIntervals;
  /** Definitions that `@QueueHandler` may refer to by name. Default: none. */
  readonly definitions?: readonly AnyJobDefinition[];
}

/** The interface of `useClass` and `useExisting` in `TableQueueModule.forRootAsync`. */
export interface TableQueueModuleOptionsFactory {
  /** Returns the options. Called once, when the application starts. */
  createTableQueueOptions(): TableQueueModuleOptions | Promise<TableQueueModuleOptions>;
}

/** The module options, checked and grouped by use. */
export interface ResolvedModuleOptions {
  readonly dataSource: string;
  /** A logger with the name of the queue as its context. */
  readonly logger: Logger;
  readonly queue: TableQueueOptions;
  readonly worker: WorkerOptions;
  readonly process: ProcessRole;
  /** In ms. */
  readonly maintenance: Readonly<Record<keyof MaintenanceIntervals, number>>;
  readonly definitions: ReadonlyMap<string, AnyJobDefinition>;
}

export const MODULE_OPTIONS: readonly string[] = [
  ...new Set([...WORKER_OPTIONS, ...QUEUE_OPTIONS, ...ROLE_OPTIONS, 'definitions']),
];

/**
 * @throws InvalidOptionError, InvalidNameError, UnknownOptionError, DuplicateDefinitionError, InvalidEnvironmentError
 */
export function resolveModuleOptions(
  options: TableQueueModuleOptions,
  { dataSource }: Pick<ResolvedModuleExtras, 'dataSource'>,
): ResolvedModuleOptions {
  assertKnownOptions(options, [...MODULE_OPTIONS, ...EXTRAS]);
  for (const [option, value] of Object.entries(options).filter(([name]) => EXTRAS.includes(name))) {
    // forRoot has removed these, so a factory returned it, too late to use it.
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
    // The scheduled services do it.
    worker: { logger, ...pick(WORKER_OPTIONS), maintenance: false as const },
    process: resolveProcessRole(options),
    maintenance: resolveMaintenance(maintenance),
    definitions: definitionsByName(definitions),
  };
  // Checked here, because a process without handlers creates no worker.
  resolveTableQueueOptions(resolved.queue);
  resolveRetention(resolveWorkerOptions(resolved.worker).retention);
  return resolved;
}

/**
 * The definitions of the option `definitions`, by name.
 *
 * @throws InvalidOptionError for what is no definition; DuplicateDefinitionError.
 */
function definitionsByName(definitions: readonly AnyJobDefinition[]): ReadonlyMap<string, AnyJobDefinition> {
  const byName = new Map<string, AnyJobDefinition>();
  for (const [index, definition] of definitions.entries()) {
    assertJobDefinition(`definitions[${index}]`, definition);
    if (byName.has(definition.name)) {
      throw new DuplicateDefinitionError(definition.name);
    }
    byName.set(definition.name, definition);
  }
  return byName;
}
