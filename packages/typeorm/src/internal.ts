/*
 * What the other packages of this project use beside the public API. Not for applications: it changes without notice.
 */
export { EVENTS_QUEUE, REPLAY_JOB } from './definition/event-queue.js';
export { RESERVED_QUEUES, assertUnreservedQueue } from './definition/reserved-queues.js';
export { assertJobDefinition, makeJobDefinition } from './definition/job-definition.js';
export { subscriptionJobName } from './definition/event-queue.js';
export { defineSubscription } from './definition/subscription.js';
export {
  assertJobName,
  assertKey,
  assertQueueName,
  assertScheduleName,
  assertStoredJobName,
} from './definition/names.js';
export { LATEST_TIME } from './store/base/order/sort-key.js';
export { resolveScheduleOptions } from './recurring/schedule-options.js';
export { defined } from './defined.js';
export { firstTick } from './definition/timing.js';
export { isJobId, uuidFromBytes, uuidToBytes } from './definition/job-id.js';
export { dataSourceOf } from './engine/data-source-of.js';
export { LONGEST_TIMER, toMilliseconds } from './duration.js';
export { executeRead } from './engine/engine.js';
export { closeWithin } from './engine/mysql/connections/close-within.js';
export { acceptAnyType } from './engine/mysql/server/warn-of-wrong-type.js';
export { brandError } from './errors/brand-error.js';
export { seeDocs } from './errors/see-docs.js';
export { groupBy } from './group-by.js';
export { logError } from './logger.js';
export { resolveMaintenance } from './maintenance/intervals.js';
export { resolveRetention } from './maintenance/pruner/retention.js';
export { Ticker } from './maintenance/ticker.js';
export { type InstalledTables, installedTables } from './migrations/installed-tables.js';
export { migrationStatements } from './migrations/migrations.js';
export { nearestName } from './option-advice.js';
export { assertKnownOptions, wholeNumber } from './options.js';
export { JobImports, importedJobId } from './queue/job-imports.js';
export type { NewGroup } from './store/base/jobs/insert-groups.js';
export type { ImportedJob, ImportedUnit } from './store/imports/import-jobs.js';
export { countCancellable } from './queue/jobs/cancel-many.js';
export { BULK_ACTIONS, actionsOf, bulkActionsOf } from './queue/jobs/job-actions.js';
export { type DetailedHealth, checkHealth } from './queue/health/check-health.js';
export { PROBLEM_KINDS, SEVERITIES } from './queue/health/problem.js';
export { type DatabaseStats, readStats } from './queue/reports/queue-stats.js';
export { readWorkerActivity } from './queue/reports/worker-activity.js';
export { decodeUrlPart, readServerUrl } from './queue/server-url.js';
export { QUEUE_OPTIONS, resolveTableQueueOptions } from './queue/table-queue-options.js';
export type { Replay } from './store/events/replay.js';
export { identifyError } from './store/base/error-fingerprint.js';
export { findGraph } from './store/graph/find-graph.js';
export type { GraphGroup, JobGraph } from './store/graph/job-graph.js';
export { hasJobs } from './store/reports/has-jobs.js';
export { findLanes } from './store/base/order/find-lanes.js';
export { countFailures } from './store/reports/count-failures.js';
export { findLinks } from './store/reports/find-links.js';
export { findMembers } from './store/reports/find-members.js';
export { findRecentThroughput } from './store/reports/find-recent-throughput.js';
export { defaultBurst } from './store/base/rate.js';
export { readClock } from './store/base/read-clock.js';
export { findScheduleNames } from './store/schedules/find-schedule-names.js';
export { findSchedules } from './store/schedules/find-schedules.js';
export { type StoredSchedule, timingOf } from './store/schedules/schedule-row.js';
export { type RegisteredWorker, findWorkers } from './store/workers/find-workers.js';
export { resolvePrefix } from './tables/entities.js';
export { LIVE_STATES, OUTCOMES, isLive } from './tables/job.js';
export { type BatchPolicy, handlersByName, resolveBatch } from './worker/handlers/job-handler.js';
export { rejectWhenParked } from './worker/running/reject-when-parked.js';
export { handledQueues } from './worker/subscriptions/worker-subscriptions.js';
export { WORKER_OPTIONS, resolveWorkerOptions } from './worker/worker-options.js';
export type { UnhandledReason } from './worker/completing/outcome.js';
export type { WorkerEventEmitter } from './worker/events/worker-events.js';
export { NamedLock } from './lock/named-lock.js';
export { Pruner } from './maintenance/pruner/pruner.js';
export { Reaper } from './maintenance/reaper/reaper.js';
export { Retrier } from './maintenance/retrier.js';
export { Scheduler } from './maintenance/scheduler.js';
export type { AttemptRate } from './store/reports/find-attempt-rates.js';
export type { LinkedJob } from './store/reports/find-links.js';
export type { AwaitedGroup } from './store/reports/find-groups-of.js';
export { TableQueueAudit } from './tables/audit.js';
export { TableQueueCancellation } from './tables/cancellation.js';
export { TableQueueErrorRow } from './tables/error.js';
export { TableQueueEvent } from './tables/event.js';
export { TableQueueExpiry } from './tables/expiry.js';
export { TableQueueGroup } from './tables/group.js';
export { TableQueueKey } from './tables/key.js';
export { TableQueueLock } from './tables/lock.js';
export { TableQueueLogRow } from './tables/log.js';
export { TableQueueMaintenance } from './tables/maintenance.js';
export { TableQueueMember } from './tables/member.js';
export { TableQueueQueueRow } from './tables/queue.js';
export { TableQueueSchedule } from './tables/schedule.js';
export { TableQueueSignal } from './tables/signal.js';
export { TableQueueStep } from './tables/step.js';
export { TableQueueSubscription } from './tables/subscription.js';
export { TableQueueTenantRate } from './tables/tenant-rate.js';
export { TableQueueThroughput } from './tables/throughput.js';
export { TableQueueUnique } from './tables/unique.js';
export { TableQueueWorkerRow } from './tables/worker.js';
