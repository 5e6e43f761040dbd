import { Inject } from '@nestjs/common';

import { getTableQueueToken } from '../table-queue.tokens.js';

/**
 * Injects the `TableQueue` of a data source. That of the default one needs no decorator: its type is its token.
 *
 * @param dataSource the name of the data source. Default: that of the default one.
 * @throws InvalidOptionError
 */
export function InjectTableQueue(dataSource?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getTableQueueToken(dataSource));
}
