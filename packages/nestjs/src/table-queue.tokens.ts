import type { InjectionToken, Type } from '@nestjs/common';
import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { QueueEvents } from './events/queue.events.js';
import { DEFAULT_DATA_SOURCE, resolveDataSourceName } from './options/data-source.name.js';
import { QueuePruner, QueueReaper, QueueRetrier, QueueScheduler } from './services/queue.services.js';

/** What tokens of named data sources contain. Explicit, because bundlers rename classes, several to the same name. */
const NAMES = new Map<unknown, string>([
  [TableQueue, 'TableQueue'],
  [QueueEvents, 'QueueEvents'],
  [QueuePruner, 'QueuePruner'],
  [QueueReaper, 'QueueReaper'],
  [QueueRetrier, 'QueueRetrier'],
  [QueueScheduler, 'QueueScheduler'],
  [DataSource, 'DataSource'],
]);

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
  return name === DEFAULT_DATA_SOURCE ? service : `${name}${tokenNameOf(service)}`;
}

/** The data source that a token was made for; undefined for other tokens. */
export function dataSourceOfToken(token: unknown, provided: readonly Type[]): string | undefined {
  if (typeof token !== 'string') {
    return provided.includes(token as Type) ? DEFAULT_DATA_SOURCE : undefined;
  }
  const suffix = provided.map(tokenNameOf).find((name) => token.endsWith(name));
  return suffix === undefined ? undefined : token.slice(0, -suffix.length) || undefined;
}

function tokenNameOf(service: Type): string {
  return NAMES.get(service) ?? service.name;
}
