import { InvalidOptionError } from '@tablequeue/typeorm';

/** The name that @nestjs/typeorm gives the data source without one. */
export const DEFAULT_DATA_SOURCE = 'default';

/**
 * Checks the name of a data source in options.
 *
 * @throws InvalidOptionError
 */
export function resolveDataSourceName(option: string, name: unknown = DEFAULT_DATA_SOURCE): string {
  if (typeof name !== 'string' || name === '') {
    throw new InvalidOptionError(option, name, "the name of a data source, such as 'reports'");
  }
  return name;
}

/** A data source in a sentence. */
export function describeDataSource(name: string): string {
  return name === DEFAULT_DATA_SOURCE ? 'the default data source' : `the data source "${name}"`;
}

/** A name for logs and registries: the prefix, and the data source unless it is the default one. */
export function qualifiedName(prefix: string, dataSource: string): string {
  return dataSource === DEFAULT_DATA_SOURCE ? prefix : `${prefix}:${dataSource}`;
}
