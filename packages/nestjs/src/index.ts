export { QUEUE_CONTEXT_TYPE, type QueueContextType, QueueExecutionContext } from './context/queue-execution.context.js';
export { QueueBatchRequest, QueueRequest } from './context/queue.request.js';
export { InjectQueueService } from './decorators/inject-queue-service.decorator.js';
export { InjectTableQueue } from './decorators/inject-table-queue.decorator.js';
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
export { QueuePruner } from './services/queue.pruner.js';
export { QueueReaper } from './services/queue.reaper.js';
export { QueueRetrier } from './services/queue.retrier.js';
export { QueueScheduler } from './services/queue.scheduler.js';
export type { QueueService } from './services/queue.services.js';
export type { TableQueueModuleExtras } from './options/table-queue.extras.js';
export type { TableQueueModuleOptions, TableQueueModuleOptionsFactory } from './options/table-queue.options.js';
export type { RoleOptions } from './roles/process.role.js';
export { type QueueRole, queueRole } from './roles/queue.role.js';
export { TableQueueModule } from './table-queue.module.js';
export { getQueueServiceToken, getTableQueueToken } from './table-queue.tokens.js';
