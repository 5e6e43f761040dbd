export type { ActionOptions, PauseOptions } from './action-options.js';
export type { AlertMessage, OpenedAlert, ResolvedAlert } from './alerts/alert-message.js';
export type { AlertKind, AlertOptions, AlertRule, AlertWebhook } from './alerts/alert-options.js';
export type { Codec, CodecOption, EncodedKind } from './codec/codec.js';
export { UndecodedValue } from './codec/undecoded-value.js';
export {
  type AnyJobDefinition,
  DEFAULT_QUEUE,
  type JobDefinition,
  type JobDefinitionOptions,
  type JobInput,
  type JobPayload,
} from './definition/job-definition.js';
export { defineJob } from './definition/define-job.js';
export {
  type AnyEventDefinition,
  type EventDefinition,
  type EventDefinitionOptions,
  type EventPayload,
  defineEvent,
} from './definition/event-definition.js';
// A star, so that the interface can be augmented through this package's name.
export type * from './definition/queue-name.js';
export { type SignalDefinition, defineSignal } from './definition/signal-definition.js';
export type { Upcaster, Upcasters } from './definition/payload-version.js';
export type { SubscriptionOptions } from './definition/subscription.js';
export type { UniqueDefaults, UniqueOptions } from './definition/unique-policy.js';
export type { Duration } from './duration.js';
export * from './errors/index.js';
export type { LockOptions, NamedLock } from './lock/named-lock.js';
export type { QueueLogger } from './logger.js';
export type { MaintenanceIntervals } from './maintenance/intervals.js';
export type { RetentionOptions, RetentionRule } from './maintenance/pruner/retention.js';
export { TABLES_VERSION, type MigrationOptions, downTableQueue, upTableQueue } from './migrations/migrations.js';
export {
  type EnqueueProcedureOptions,
  createEnqueueProcedure,
  dropEnqueueProcedure,
} from './migrations/procedure/enqueue-procedure.js';
export type { CancelCounts, CancelFilter } from './queue/jobs/cancel-many.js';
export type { FailedError, FailedErrors, FailedErrorsOptions } from './queue/reports/failed-errors.js';
export type { FailedFilter } from './queue/jobs/failed-filter.js';
export type { FailedJobs, FailedListOptions, FailedPage, RetryCounts } from './queue/jobs/failed-jobs.js';
export {
  type GroupCallback,
  type GroupCallbacks,
  type GroupIds,
  type GroupJob,
  type GroupOptions,
  type JobGroup,
  jobGroup,
} from './queue/groups/group-options.js';
export type { EnqueuedGroup, JobGroups } from './queue/groups/job-groups.js';
export type { ManualActions } from './queue/manual/manual-actions.js';
export type { CopyOptions, ManualJob, RescheduleOptions } from './queue/manual/manual-options.js';
export type { BulkOperation } from './queue/bulk/bulk-operation.js';
export type { BulkListOptions, BulkOperations, BulkPage, BulkRunOptions } from './queue/bulk/bulk-operations.js';
export type { BulkRequest } from './queue/bulk/bulk-request.js';
export type { BulkState } from './tables/bulk-operation.js';
export type {
  BulkAction,
  JobAction,
  JobActionOptions,
  JobActionResult,
  JobRetryOptions,
  JobTarget,
} from './queue/jobs/job-actions.js';
export type { JobFilter } from './queue/jobs/job-filter.js';
export type { AuditOptions, AuditPage, QueueActivity } from './queue/reports/queue-activity.js';
export type { EventLoopBlock, WorkerActivity, WorkerRequestState } from './queue/reports/worker-activity.js';
export type { QueueControl, QueueControlState, StoredRateLimit } from './queue/queue-control.js';
export type { QueueLimits, RateLimit } from './queue/queue-limits.js';
export type { ClientTransaction } from './engine/transaction-handle.js';
export type { TransactionOptions } from './queue/enqueue/caller-transaction.js';
export type { BulkJob, EnqueueOptions, JobOptions } from './queue/enqueue/enqueue-options.js';
export type { WaitOptions } from './queue/jobs/job-waits.js';
export type { EnqueuedJob } from './queue/enqueue/enqueued-job.js';
export type { JobTotal, JobTotals, TotalsByState } from './queue/totals/job-totals.js';
export type { HealthOptions, QueueHealth } from './queue/health/check-health.js';
export type { BacklogHealth } from './queue/health/facts.js';
export type { HealthProblem, HealthProblemKind, HealthSeverity } from './queue/health/problem.js';
export type { HealthStatus } from './queue/health/verdict.js';
export type { CancelByKeyOptions } from './queue/jobs/job-canceller.js';
export type { SignalOptions } from './queue/jobs/signal-options.js';
export type {
  EventSubscription,
  ReplayOptions,
  SubscriptionListOptions,
  SubscriptionPage,
  Subscriptions,
} from './queue/jobs/subscriptions.js';
export { type OpenOptions, openTableQueue } from './queue/open-table-queue.js';
export { TableQueue } from './queue/table-queue.js';
export type { BlockedKey, BlockedKeyOptions, BlockedKeyPage } from './queue/jobs/blocked-keys.js';
export type {
  JobBrowser,
  JobDetails,
  JobListOptions,
  JobLogOptions,
  JobPage,
  KeyedJobCounts,
} from './queue/jobs/job-browser.js';
export type { FoundJob, JobSearchPage } from './queue/search/search-jobs.js';
export type { JobSearchOptions } from './queue/search/search-options.js';
export type { SearchField } from './store/browse/search-text.js';
export type { TableQueueOptions } from './queue/table-queue-options.js';
export { type Backoff, type ExponentialOptions, exponential, fixed, listed } from './retry/backoff.js';
export { type RetryOptions, paymentNoticeRetry } from './retry/retry-policy.js';
export type { RecurringJobs } from './recurring/recurring-jobs.js';
export type { Schedule } from './recurring/schedule.js';
export type { ScheduleOptions } from './recurring/schedule-options.js';
export type { Throughput, ThroughputPoint } from './queue/reports/throughput.js';
export type { JobCount } from './store/base/jobs/job-count.js';
export type { QueueCounts } from './store/reports/count-jobs.js';
export type { ErrorIdentity } from './store/base/error-fingerprint.js';
export type { FailedAttempt } from './store/base/jobs/attempt-errors.js';
export type { GroupSnapshot } from './store/reports/find-group.js';
export type { JobSnapshot, JobSummary } from './store/reports/find-jobs.js';
export type { JobLogLine } from './store/reports/list-log.js';
export type { StepSnapshot } from './store/reports/list-steps.js';
export type { AuditEntry } from './store/actions/find-actions.js';
export type { EventLoopDelay, WorkerMemory } from './store/workers/find-workers.js';
export type { QueueDatabaseType } from './tables/column-types.js';
export { type TableOptions, tableQueueEntities } from './tables/entities.js';
export { type LiveState, type Outcome, TableQueueJob } from './tables/job.js';
export type { WorkerState } from './tables/worker.js';
export { type EventHandlerOptions, eventHandler } from './worker/handlers/event-handler.js';
export {
  type BatchHandlerFunction,
  type BatchJob,
  type BatchOptions,
  type HandlerFunction,
  type JobContext,
  type JobHandler,
  type JobInfo,
  type TransactionalHandlerFunction,
  type TransactionalJobContext,
  batchHandler,
  jobHandler,
  transactionalHandler,
} from './worker/handlers/job-handler.js';
export type {
  AnySignal,
  DurableJobContext,
  DurableWaitOptions,
  Signal,
  StepContext,
  StepOptions,
} from './worker/handlers/durable-context.js';
export type { JobLog, LogFields } from './worker/handlers/job-log.js';
export { type ChildJob, type ChildJobOptions, type ChildOutcome, child } from './worker/handlers/children.js';
export type { Stored } from './worker/handlers/stored.js';
export { TableQueueWorker } from './worker/table-queue-worker.js';
export type { WorkerEvents } from './worker/events/worker-events.js';
export type { Liveness, QueueSettings, WorkerOptions } from './worker/worker-options.js';
