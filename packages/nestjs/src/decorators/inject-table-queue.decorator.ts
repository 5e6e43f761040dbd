import { Inject } from '@nestjs/common';

import { getTableQueueToken } from '../table-queue.tokens.js';

/**
 * Injects the `TableQueue` of a named data source. The queue of the default data source needs no decorator: its class
 * is its token.
 *
 * @param dataSource the name of the data source. Default: the default data source.
 * @throws InvalidOptionError
 */
export function InjectTableQueue(dataSource?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getTableQueueToken(dataSource));
}
