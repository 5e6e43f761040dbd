/*
 * What the other packages of this project use beside the public API. Not for applications: it changes without notice.
 */
export { assertJobDefinition } from './definition/job-definition.js';
export { assertJobName, assertQueueName } from './definition/names.js';
export { type Timing, firstTick } from './definition/timing.js';
export { isJobId, uuidToBytes } from './definition/job-id.js';
export { LONGEST_TIMER, toMilliseconds } from './duration.js';
export { groupBy } from './group-by.js';
export { logError } from './logger.js';
export { resolveMaintenance } from './maintenance/intervals.js';
export { resolveRetention } from './maintenance/pruner/retention.js';
export { Ticker } from './maintenance/ticker.js';
export { type InstalledTables, installedTables } from './migrations/installed-tables.js';
export { migrationStatements } from './migrations/migrations.js';
export { assertKnownOptions, wholeNumber } from './options.js';
export { countCancellable } from './queue/jobs/cancel-many.js';
export { actionsOf } from './queue/jobs/job-actions.js';
export { type DatabaseStats, type QueueStats, readStats } from './queue/reports/queue-stats.js';
export { QUEUE_OPTIONS, resolveTableQueueOptions } from './queue/table-queue-options.js';
export { findLinks } from './store/reports/find-links.js';
export { readClock } from './store/base/read-clock.js';
export type { StoredSchedule } from './store/schedules/schedules.js';
export { resolvePrefix } from './tables/entities.js';
export { LIVE_STATES } from './tables/job.js';
export { handlersByName, resolveBatchSize } from './worker/handlers/job-handler.js';
export { WORKER_OPTIONS, resolveWorkerOptions } from './worker/worker-options.js';
