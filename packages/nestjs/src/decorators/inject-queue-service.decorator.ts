import { Inject } from '@nestjs/common';

import type { QueueService } from '../services/queue.services.js';
import { getQueueServiceToken } from '../table-queue.tokens.js';

/**
 * Injects one of the module's services, `QueueReaper` or `QueueEvents` say, of a data source's queue. Those of the default
 * one need no decorator: their type is their token.
 *
 * @param dataSource the name of the data source. Default: that of the default one.
 * @throws InvalidOptionError
 */
export function InjectQueueService(service: QueueService, dataSource?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getQueueServiceToken(service, dataSource));
}
