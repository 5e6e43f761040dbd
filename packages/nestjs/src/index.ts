export { QueueHandler, type QueueHandlerOptions } from './decorators/queue-handler.decorator.js';
export { Recurring, type RecurringOptions } from './decorators/recurring.decorator.js';
export * from './errors/index.js';
export { QueuePruner } from './queue.pruner.js';
export { QueueReaper } from './queue.reaper.js';
export { QueueRetrier } from './queue.retrier.js';
export { QueueScheduler } from './queue.scheduler.js';
export type { TableQueueModuleExtras, TableQueueModuleOptions } from './table-queue-options.js';
export { TableQueueModule } from './table-queue.module.js';
