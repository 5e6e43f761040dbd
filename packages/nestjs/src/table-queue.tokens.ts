import type { InjectionToken, Type } from '@nestjs/common';
import { TableQueue } from '@tablequeue/typeorm';

import { DEFAULT_DATA_SOURCE, resolveDataSourceName } from './options/data-source.name.js';

/**
 * The token of a data source's queue, for `app.get` and for `inject` of a factory. With a class it is the token of that
 * service of the queue: `getTableQueueToken('reports', QueueEvents)`. For the default data source the class is the
 * token.
 *
 * @param dataSource the name of the data source. Default: the default data source.
 * @param service `QueueEvents`, `QueueReaper`, `QueueRetrier`, `QueuePruner` or `QueueScheduler`. Default:
 *   `TableQueue`.
 * @throws InvalidOptionError
 */
export function getTableQueueToken<Service = TableQueue>(
  dataSource?: string,
  service: Type<Service> = TableQueue as unknown as Type<Service>,
): InjectionToken<Service> {
  const name = resolveDataSourceName('dataSource', dataSource);
  return name === DEFAULT_DATA_SOURCE ? service : `${name}${service.name}`;
}

/** The data source that a token was made for; undefined for other tokens. */
export function dataSourceOfToken(token: unknown, provided: readonly Type[]): string | undefined {
  if (typeof token !== 'string') {
    return provided.includes(token as Type) ? DEFAULT_DATA_SOURCE : undefined;
  }
  const suffix = provided.find(({ name }) => token.endsWith(name))?.name;
  return suffix === undefined ? undefined : token.slice(0, -suffix.length) || undefined;
}
