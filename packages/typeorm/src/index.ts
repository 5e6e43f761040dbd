export type { ActionOptions } from './action-options.js';
export {
  type AnyJobDefinition,
  DEFAULT_QUEUE,
  type JobDefinition,
  type JobDefinitionOptions,
  type JobInput,
  type JobPayload,
  defineJob,
} from './definition/job-definition.js';
// A star, so that the interface can be augmented through this package's name.
export type * from './definition/queue-name.js';
export type { Upcaster, Upcasters } from './definition/payload-version.js';
export type { UniqueDefaults, UniqueOptions, UniquePolicy, UniqueConditions } from './definition/unique-policy.js';
export type { Duration } from './duration.js';
export type { DatabaseClock } from './engine/clock.js';
export * from './errors/index.js';
export type {
  AttemptOutcome,
  Instrumentation,
  ObservedQueue,
  ProcessOperation,
  ProcessedEnd,
  ProcessedJob,
  Processing,
  SendOperation,
  Sending,
  SettledAttempt,
} from './instrumentation/instrumentation.js';
export type { QueueFigures } from './instrumentation/queue-figures.js';
export { type LockOptions, NamedLock } from './lock/named-lock.js';
export { type QueueLogger, consoleLogger } from './logger.js';
export type { MaintenanceIntervals } from './maintenance/intervals.js';
export { MaintenanceService } from './maintenance/maintenance-service.js';
export { Pruner, type PrunerResult } from './maintenance/pruner/pruner.js';
export { Reaper, type ReaperResult } from './maintenance/reaper/reaper.js';
export type { RetentionOptions, RetentionRule } from './maintenance/pruner/retention.js';
export { Retrier, type RetrierResult } from './maintenance/retrier.js';
export { Scheduler, type SchedulerResult } from './maintenance/scheduler.js';
export { TABLES_VERSION, type MigrationOptions, downTableQueue, upTableQueue } from './migrations/migrations.js';
export { type PartitionOptions, partitionHistory } from './migrations/partition-history.js';
export type { CancelCounts, CancelFilter } from './queue/jobs/cancel-many.js';
export { FailedJobs, type FailedFilter, type FailedListOptions, type FailedPage } from './queue/jobs/failed-jobs.js';
export {
  type GroupCallback,
  type GroupCallbacks,
  type GroupIds,
  type GroupJob,
  type GroupOptions,
  type JobGroup,
  jobGroup,
} from './queue/groups/group-options.js';
export { type EnqueuedGroup, JobGroups } from './queue/groups/job-groups.js';
export type { JobAction, JobActionOptions, JobActionResult, JobTarget } from './queue/jobs/job-actions.js';
export type { JobFilter } from './queue/jobs/job-filter.js';
export {
  type AuditOptions,
  type AuditPage,
  QueueActivity,
  type WorkerActivity,
  type WorkerActivityOptions,
} from './queue/reports/queue-activity.js';
export { QueueControl, type QueueControlState, type QueueLimits, type RateLimit } from './queue/queue-control.js';
export type { TransactionOptions } from './queue/enqueue/caller-transaction.js';
export type { BulkJob, EnqueueArguments, EnqueueOptions, JobOptions } from './queue/enqueue/enqueue-options.js';
export type { WaitOptions } from './queue/jobs/job-waits.js';
export type { EnqueuedJob } from './queue/enqueue/enqueued-job.js';
export type { BacklogHealth, HealthOptions, WorkerHealth, QueueHealth } from './queue/reports/queue-health.js';
export { type CancelByKeyOptions, TableQueue } from './queue/table-queue.js';
export {
  type JobDetails,
  type JobListOptions,
  type JobPage,
  type KeyedJobCounts,
  type KeyedJobFilter,
  JobBrowser,
} from './queue/jobs/job-browser.js';
export type { TableQueueOptions } from './queue/table-queue-options.js';
export {
  type Backoff,
  type ExponentialOptions,
  type ListedBackoff,
  exponential,
  fixed,
  listed,
} from './retry/backoff.js';
export { paymentNoticeRetry } from './retry/payment-notice-retry.js';
export { RecurringJobs, type Schedule } from './recurring/recurring-jobs.js';
export type { ScheduleOptions } from './recurring/schedule-options.js';
export type { RetryOptions, RetryPolicy } from './retry/retry-policy.js';
export type { Throughput, ThroughputPoint } from './queue/reports/throughput.js';
export type { JobCount, QueueCounts } from './store/reports/count-jobs.js';
export type { OldestReady } from './store/reports/find-oldest-ready.js';
export type { FailedAttempt } from './store/base/attempt-errors.js';
export type { GroupSnapshot } from './store/reports/find-group.js';
export type { AwaitedGroup } from './store/reports/find-groups-of.js';
export type { LinkedJob } from './store/reports/find-links.js';
export type { WorkerOfJob } from './store/reports/find-job-relations.js';
export type { JobSummary } from './store/reports/find-summaries.js';
export type { JobSnapshot } from './store/reports/find-jobs.js';
export type { AuditEntry } from './store/actions/find-actions.js';
export type { QueueDatabaseType } from './tables/column-types.js';
export { type TableOptions, tableQueueEntities } from './tables/entities.js';
export { TableQueueAudit } from './tables/audit.js';
export { TableQueueCancellation } from './tables/cancellation.js';
export { TableQueueErrorRow } from './tables/error.js';
export { TableQueueFailure } from './tables/failure.js';
export { TableQueueGroup } from './tables/group.js';
export { type HistoryPartition, type Outcome, TableQueueHistory } from './tables/history.js';
export { type LiveState, TableQueueJob } from './tables/job.js';
export { TableQueueKey } from './tables/key.js';
export { TableQueueLock } from './tables/lock.js';
export { type MemberOutcome, TableQueueMember } from './tables/member.js';
export { TableQueueMaintenance } from './tables/maintenance.js';
export { TableQueueQueueRow } from './tables/queue.js';
export { type CatchUpPolicy, type ScheduleSource, TableQueueSchedule } from './tables/schedule.js';
export { TableQueueThroughput } from './tables/throughput.js';
export { TableQueueUnique, type UniqueSpan } from './tables/unique.js';
export { TableQueueWorkerRow } from './tables/worker.js';
export {
  type BatchHandlerFunction,
  type BatchJob,
  type BatchJobHandler,
  type BatchOptions,
  type HandlerFunction,
  type JobContext,
  type JobHandler,
  type JobInfo,
  type SingleJobHandler,
  type TransactionalHandlerFunction,
  type TransactionalJobContext,
  batchHandler,
  jobHandler,
  transactionalHandler,
} from './worker/handlers/job-handler.js';
export type { UnhandledReason } from './worker/running/unhandled-jobs.js';
export { TableQueueWorker } from './worker/table-queue-worker.js';
export type { WorkerEventEmitter, WorkerEvents } from './worker/events/worker-events.js';
export type { Liveness, QueueSettings, WorkerOptions } from './worker/worker-options.js';
