/*
 * What the other packages of this project use beside the public API. Not for applications: it changes without notice.
 */
export { assertJobDefinition } from './definition/job-definition.js';
export { logError } from './logger.js';
export { resolveMaintenance } from './maintenance/intervals.js';
export { Ticker } from './maintenance/ticker.js';
export { assertKnownOptions } from './options.js';
export { QUEUE_OPTIONS } from './queue/table-queue-options.js';
export { resolveBatchSize } from './worker/job-handler.js';
export { WORKER_OPTIONS, resolveWorkerOptions } from './worker/worker-options.js';
