import { InvalidOptionError } from '@tablequeue/typeorm';
import { assertKnownOptions } from '@tablequeue/typeorm/internal';

import { EXTRAS, type TableQueueModuleExtras, resolveModuleExtras } from './table-queue.extras.js';
import { MODULE_OPTIONS, type TableQueueModuleOptions, resolveModuleOptions } from './table-queue.options.js';

const SOURCES = ['useFactory', 'useClass', 'useExisting'];
const ASYNC_OPTIONS = [...SOURCES, 'inject', 'imports', 'provideInjectionTokensFrom'];

/**
 * Checks the options of `forRoot` while the importing module is declared, so that the stack leads there.
 *
 * @throws InvalidOptionError, InvalidNameError, UnknownOptionError
 */
export function assertOptions(given: TableQueueModuleOptions & TableQueueModuleExtras): void {
  assertKnownOptions(given, [...MODULE_OPTIONS, ...EXTRAS]);
  const options = Object.fromEntries(Object.entries(given).filter(([name]) => !EXTRAS.includes(name)));
  resolveModuleOptions(options, resolveModuleExtras(given));
}

/**
 * Checks the options of `forRootAsync`. Nest ignores unknown ones.
 *
 * @throws InvalidOptionError, UnknownOptionError
 */
export function assertAsyncOptions(given: object): void {
  const misplaced = Object.entries(given ?? {}).find(([name]) => MODULE_OPTIONS.includes(name));
  if (misplaced) {
    throw new InvalidOptionError(...misplaced, 'returned by the factory of forRootAsync');
  }
  assertKnownOptions(given, [...ASYNC_OPTIONS, ...EXTRAS]);
  const sources = SOURCES.filter((source) => (given as Record<string, unknown>)[source] !== undefined);
  if (sources.length !== 1) {
    throw new InvalidOptionError(
      'useFactory',
      (given as Record<string, unknown>).useFactory,
      'given to forRootAsync, or else one of useClass and useExisting',
    );
  }
}
