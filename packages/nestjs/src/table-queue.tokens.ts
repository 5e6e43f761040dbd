import type { InjectionToken, Type } from '@nestjs/common';
import { TableQueue } from '@tablequeue/typeorm';

import { DEFAULT_DATA_SOURCE, resolveDataSourceName } from './options/data-source.name.js';
import type { QueueService } from './services/queue.services.js';

/**
 * The token of a data source's queue, for `app.get` and for `inject` of a factory. For the default data source it is
 * the class `TableQueue`.
 *
 * @param dataSource the name of the data source. Default: the default data source.
 * @throws InvalidOptionError
 */
export function getTableQueueToken(dataSource?: string): InjectionToken<TableQueue> {
  return tokenOf(TableQueue, dataSource);
}

/**
 * The token of a service of a data source's queue, such as `QueueReaper` or `QueueEvents`.
 *
 * @param dataSource the name of the data source. Default: the default data source.
 * @throws InvalidOptionError
 */
export function getQueueServiceToken<Service extends QueueService>(
  service: Service,
  dataSource?: string,
): InjectionToken<InstanceType<Service>> {
  return tokenOf(service as unknown as Type<InstanceType<Service>>, dataSource);
}

function tokenOf<T>(provided: Type<T>, dataSource?: string): InjectionToken<T> {
  const name = resolveDataSourceName('dataSource', dataSource);
  return name === DEFAULT_DATA_SOURCE ? provided : `${name}${provided.name}`;
}

/** The data source that a token was made for; undefined for other tokens. */
export function dataSourceOfToken(token: unknown, provided: readonly Type[]): string | undefined {
  if (typeof token !== 'string') {
    return provided.includes(token as Type) ? DEFAULT_DATA_SOURCE : undefined;
  }
  const suffix = provided.find(({ name }) => token.endsWith(name))?.name;
  return suffix === undefined ? undefined : token.slice(0, -suffix.length) || undefined;
}
