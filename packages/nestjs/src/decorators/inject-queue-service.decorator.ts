import { Inject } from '@nestjs/common';

import type { QueueService } from '../services/queue.services.js';
import { getQueueServiceToken } from '../table-queue.tokens.js';

/**
 * Injects a service of a data source's queue, such as `QueueReaper` or `QueueEvents`. The services of the default data
 * source need no decorator: their class is their token.
 *
 * @param dataSource the name of the data source. Default: the default data source.
 * @throws InvalidOptionError
 */
export function InjectQueueService(service: QueueService, dataSource?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getQueueServiceToken(service, dataSource));
}
