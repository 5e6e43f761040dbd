import { Inject, type Type } from '@nestjs/common';

import { getTableQueueToken } from '../table-queue.tokens.js';

/**
 * Injects the `TableQueue` of a named data source, or a service of its queue:
 * `@InjectTableQueue('reports', QueueEvents)`. Those of the default data source need no decorator: their class is their
 * token.
 *
 * @param dataSource the name of the data source. Default: the default data source.
 * @param service `QueueEvents`, `QueueReaper`, `QueueRetrier`, `QueuePruner` or `QueueScheduler`. Default:
 *   `TableQueue`.
 * @throws InvalidOptionError
 */
export function InjectTableQueue(dataSource?: string, service?: Type): PropertyDecorator & ParameterDecorator {
  return Inject(getTableQueueToken(dataSource, service));
}
