/*
 * What the other packages of this project use beside the public API. Not for applications: it changes without notice.
 */
export { assertJobDefinition } from './definition/job-definition.js';
export { assertJobName, assertQueueName } from './definition/names.js';
export { toMilliseconds } from './duration.js';
export { logError } from './logger.js';
export { resolveMaintenance } from './maintenance/intervals.js';
export { resolveRetention } from './maintenance/retention.js';
export { Ticker } from './maintenance/ticker.js';
export { type InstalledTables, installedTables } from './migrations/installed-tables.js';
export { migrationStatements } from './migrations/migrations.js';
export { assertKnownOptions } from './options.js';
export { countCancellable } from './queue/cancel-many.js';
export { type DatabaseStats, readStats } from './queue/queue-stats.js';
export { QUEUE_OPTIONS, resolveTableQueueOptions } from './queue/table-queue-options.js';
export { readClock } from './store/read-clock.js';
export type { StoredSchedule } from './store/schedules.js';
export { resolvePrefix } from './tables/entities.js';
export { LIVE_STATES } from './tables/job.js';
export { handlersByName, resolveBatchSize } from './worker/job-handler.js';
export { WORKER_OPTIONS, resolveWorkerOptions } from './worker/worker-options.js';
