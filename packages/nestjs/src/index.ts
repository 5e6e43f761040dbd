export { QUEUE_CONTEXT_TYPE, type QueueContextType, QueueExecutionContext } from './context/queue-execution.context.js';
export { QueueBatchRequest, QueueRequest } from './context/queue.request.js';
export { InjectTableQueue } from './decorators/inject-table-queue.decorator.js';
export { OnEvent, type OnEventOptions } from './decorators/on-event.decorator.js';
export {
  OnQueueEvent,
  type QueueEventFilter,
  type QueueListenerOptions,
} from './decorators/on-queue-event.decorator.js';
export { QueueHandler, type QueueHandlerOptions } from './decorators/queue-handler.decorator.js';
export { Recurring, type RecurringOptions } from './decorators/recurring.decorator.js';
export * from './errors/index.js';
export type { QueueEvent, QueueEventName } from './events/queue-event.types.js';
export { QueueEvents } from './events/queue.events.js';
export { JobLogger } from './logging/job.logger.js';
export { QueuePruner, QueueReaper, QueueRetrier, QueueScheduler } from './services/queue.services.js';
export type { TableQueueModuleOptions, TableQueueModuleOptionsFactory } from './options/table-queue.options.js';
export { type QueueRole, queueRole } from './roles/queue.role.js';
export { TableQueueModule } from './table-queue.module.js';
export { getTableQueueToken } from './table-queue.tokens.js';
