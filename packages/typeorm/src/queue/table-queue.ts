import type { DataSource } from 'typeorm';

import { type AnyJobDefinition, type JobDefinition, assertJobDefinition } from '../definition/job-definition.js';
import { assertKey } from '../definition/names.js';
import { type Duration, toMilliseconds } from '../duration.js';
import { createEngine } from '../engine/create-engine.js';
import type { DatabaseClock } from '../engine/clock.js';
import type { Engine, OperationFactory } from '../engine/engine.js';
import { DataSourceNotInitializedError } from '../errors/index.js';
import type { Instrumentation } from '../instrumentation/instrumentation.js';
import { NamedLock } from '../lock/named-lock.js';
import { pruneHistory } from '../maintenance/pruner/prune-history.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { RecurringJobs } from '../recurring/recurring-jobs.js';
import type { QueueLogger } from '../logger.js';
import type { Redact } from '../redaction.js';
import { cancelJobs } from '../store/actions/cancel-jobs.js';
import { type QueueCounts, countJobs } from '../store/reports/count-jobs.js';
import { type JobSnapshot, findJobs, jobIdsOfKey } from '../store/reports/find-jobs.js';
import { assertJobId, uuidToBytes } from '../definition/job-id.js';
import type { NewJob } from '../store/enqueue/new-job.js';
import { EnqueueNotifier, noticeFor } from './enqueue/enqueue-notifier.js';
import { CallerTransaction, type TransactionOptions } from './enqueue/caller-transaction.js';
import type { CancelCounts, CancelFilter } from './jobs/cancel-many.js';
import { Cancellations } from './jobs/job-canceller.js';
import { type BulkJob, type EnqueueArguments, splitTransaction } from './enqueue/enqueue-options.js';
import type { EnqueuedJob } from './enqueue/enqueued-job.js';
import { FailedJobs } from './jobs/failed-jobs.js';
import { Enqueuer } from './enqueue/enqueuer.js';
import { CallbackTrigger } from './groups/callback-trigger.js';
import { JobGroups } from './groups/job-groups.js';
import { QueueActivity } from './reports/queue-activity.js';
import { QueueControl } from './queue-control.js';
import { JobWaits, type WaitOptions } from './jobs/job-waits.js';
import { type HealthOptions, type WorkerHealth, type QueueHealth, checkHealth } from './reports/queue-health.js';
import { SharedFigures } from './reports/shared-figures.js';
import { JobBrowser } from './jobs/job-browser.js';
import { type TableQueueOptions, resolveTableQueueOptions } from './table-queue-options.js';

/** What `cancelByKey` takes besides the key. */
export interface CancelByKeyOptions extends TransactionOptions {
  /** Cancels only the jobs of this definition. Default: every job with the key. */
  readonly only?: AnyJobDefinition;
}

/**
 * The queue of one data source: stores jobs, finds them and cancels them. To run them, see `TableQueueWorker`.
 *
 * A job that is enqueued in a transaction exists if and only if that transaction commits, and nobody sees it earlier.
 * Jobs are run at least once.
 */
export class TableQueue {
  /** For the worker and the scheduled services of this package. */
  readonly engine: Engine;
  /** The largest payload, in bytes of JSON. */
  readonly maxPayloadBytes: number;
  /** Pauses queues and limits them, in all processes. */
  readonly control: QueueControl;
  /** Tells what the workers do. */
  readonly activity: QueueActivity;
  /** Looks through all jobs, live and finished. */
  readonly jobs: JobBrowser;
  /** Looks at jobs that have failed for good, and has them run again. */
  readonly failed: FailedJobs;
  /** Enqueues jobs again and again, by cron expressions and intervals. */
  readonly recurring: RecurringJobs;
  /** Enqueues groups of jobs, and jobs that wait for them. */
  readonly groups: JobGroups;
  /** For the worker of this package: `TableQueueOptions.redact`, which never throws here. */
  readonly redact: Redact;
  /** For the worker of this package. */
  readonly waits: JobWaits;
  /** For the worker of this package. */
  readonly instrumentation: Instrumentation | undefined;
  /** @internal The default logger of workers. */
  readonly logger: QueueLogger;
  /** The workers of this queue that have been started in this process. */
  readonly workers = new Set<WorkerHealth>();
  /** For the testing kit: finds the transaction of a call. */
  readonly caller: CallerTransaction;
  /** For the testing kit. */
  readonly clock: DatabaseClock;
  private readonly notifier: EnqueueNotifier;
  private readonly enqueuer: Enqueuer;
  private readonly cancellations: Cancellations;

  /**
   * @param dataSource an initialised data source that has the queue's entities.
   * @throws DataSourceNotInitializedError, EntityError, UnsupportedDatabaseError
   * @throws InvalidOptionError, UnknownOptionError
   */
  constructor(
    readonly dataSource: DataSource,
    options: TableQueueOptions = {},
  ) {
    const { maxPayloadBytes, preparedStatements, clock, ambient, instrumentation, redact } =
      resolveTableQueueOptions(options);
    this.maxPayloadBytes = maxPayloadBytes;
    this.redact = redact;
    this.logger = ambient.logger;
    this.clock = clock;
    if (!dataSource.isInitialized) {
      throw new DataSourceNotInitializedError();
    }
    this.engine = createEngine(dataSource, clock, preparedStatements);
    this.notifier = EnqueueNotifier.of(dataSource);
    this.caller = new CallerTransaction(dataSource, ambient);
    this.instrumentation = instrumentation;
    this.enqueuer = new Enqueuer(this.engine, this.notifier, maxPayloadBytes, instrumentation);
    this.control = new QueueControl(this.engine);
    this.activity = new QueueActivity(this.engine);
    this.failed = new FailedJobs(this.engine, this.caller, this.notifier);
    const ring = (job: NewJob) => this.notifier.notify(noticeFor(job.queue, [job]));
    this.recurring = new RecurringJobs(this.engine, this.maxPayloadBytes, ring);
    this.waits = new JobWaits(this.engine);
    this.groups = new JobGroups(this.engine, this.caller, this.enqueuer, this.notifier);
    const releases = new CallbackTrigger(this.engine, this.notifier, ambient.logger);
    this.jobs = new JobBrowser(this.engine, this.notifier, releases);
    this.cancellations = new Cancellations(dataSource, this.engine, this.caller, releases);
    instrumentation?.observe(new SharedFigures(dataSource, this.engine, ambient.logger));
  }

  /**
   * Stores a job.
   *
   * With `manager` or `queryRunner` it becomes part of the transaction open there: nothing is committed, repeated or
   * waited for. Without them it is committed when the promise resolves; calls made at the same time share a statement.
   *
   * With `unique`, here or in the definition, it is stored unless another job has its key: see `UniqueOptions`. Whether
   * one has is only known when every transaction that is about to take or free that key has ended, so it waits for them.
   *
   * @throws InvalidPayloadError, UnserializablePayloadError, PayloadTooLargeError for the payload.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for the options.
   * @throws DuplicateJobError with `onConflict: 'throw'`.
   * @throws OutsideTransactionError with `outsideTransaction: 'throw'`.
   * @throws MissingTablesError, DatabaseUnavailableError, DatabaseBusyError; outside a transaction it is then unknown
   *   whether the job was stored only if the connection broke and stayed away.
   */
  async enqueue<Input, Output>(
    definition: JobDefinition<Input, Output>,
    ...[payload, options = {}]: EnqueueArguments<Input>
  ): Promise<EnqueuedJob> {
    const [transaction, jobOptions] = splitTransaction(options);
    const queryRunner = this.caller.findForChange(transaction, `The enqueue of "${definition?.name}"`);
    return this.enqueuer.one(definition, payload, jobOptions, queryRunner);
  }

  /**
   * Stores many jobs of one kind, all or none, but for those whose unique key another job has: with `manager` or
   * `queryRunner` in the transaction open there, otherwise in one of its own. Every payload and option is checked before
   * the first is stored.
   *
   * @returns the jobs in the order given.
   * @throws the same as `enqueue`.
   */
  async enqueueMany<Input, Output>(
    definition: JobDefinition<Input, Output>,
    jobs: NoInfer<readonly BulkJob<Input>[]>,
    transaction: TransactionOptions = {},
  ): Promise<EnqueuedJob[]> {
    const queryRunner = this.caller.findForChange(transaction, `The enqueue of "${definition?.name}"`);
    return this.enqueuer.many(definition, jobs, queryRunner);
  }

  /**
   * Cancels a job. One that waits is cancelled at once. One that runs is asked to end: wherever it runs, its handler's
   * signal is aborted within a second, and if the handler throws then it has ended as cancelled.
   *
   * @returns what was done; undefined for a job that has ended or does not exist.
   * @throws InvalidOptionError for an id that is none, OutsideTransactionError.
   */
  async cancel(id: string, transaction: TransactionOptions = {}): Promise<'cancelled' | 'requested' | undefined> {
    const bytes = idBytes(id);
    const { cancelled, requested } = await this.cancellations.run(transaction, (dialect) =>
      cancelJobs(dialect, [bytes], null),
    );
    return cancelled.length > 0 ? 'cancelled' : requested.length > 0 ? 'requested' : undefined;
  }

  /**
   * Cancels the jobs with a key, as `cancel` does.
   *
   * @returns how many were cancelled, or asked to end.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError, OutsideTransactionError
   */
  async cancelByKey(key: string, options: CancelByKeyOptions = {}): Promise<CancelCounts> {
    assertKey(key);
    assertKnownOptions(options, ['only', 'manager', 'queryRunner']);
    const { only, ...transaction } = options;
    if (only !== undefined) {
      assertJobDefinition('only', only);
    }
    const { cancelled, requested } = await this.cancellations.run(transaction, function* (dialect) {
      const ids = yield* jobIdsOfKey(dialect, key);
      return yield* cancelJobs(dialect, ids, only?.name ?? null);
    });
    return { cancelled: cancelled.length, requested: requested.length };
  }

  /**
   * Cancels the jobs of a queue, all or some, as `cancel` does: in batches that each commit by themselves, never in a
   * transaction of the caller's.
   *
   * @returns how many were cancelled, or asked to end.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
   */
  async cancelMany(filter: CancelFilter): Promise<CancelCounts> {
    return this.cancellations.many(filter);
  }

  /**
   * Finds a job by its id, live or finished. In a transaction it sees what that has done so far.
   *
   * @throws InvalidOptionError, UnknownOptionError
   */
  async find(id: string, transaction: TransactionOptions = {}): Promise<JobSnapshot | undefined> {
    const bytes = idBytes(id);
    const [job] = await this.read(transaction, (dialect) => findJobs(dialect, [bytes]));
    return job;
  }

  /**
   * Waits until a job has ended. At once where a worker of this process runs it; otherwise it is looked for, with all
   * others that are waited for, 20 ms later and then less often, up to every 250 ms.
   *
   * Not inside a transaction of yours that has enqueued the job: it runs when that has committed.
   *
   * @returns what its handler has returned.
   * @throws JobFailedError, JobCancelledError when it has ended so.
   * @throws JobGoneError when it has ended and left nothing: that is how a job of a definition with `keep: 'none'`
   *   succeeds. One that was gone before it was looked for the first time cannot be told from one that is still to come.
   * @throws WaitTimeoutError when it has not ended in time; it may not even exist.
   * @throws the reason of the signal when that is aborted.
   * @throws InvalidOptionError, UnknownOptionError
   */
  async waitFor<Result = unknown>(id: string, options: WaitOptions = {}): Promise<Result> {
    assertJobId(id);
    return this.waits.wait(id, options) as Promise<Result>;
  }

  /**
   * Finds the jobs with a key, live and finished, oldest first. In a transaction it sees what that has done so far.
   *
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
   */
  async findByKey(key: string, transaction: TransactionOptions = {}): Promise<JobSnapshot[]> {
    assertKey(key);
    return this.read(transaction, function* (dialect) {
      return yield* findJobs(dialect, yield* jobIdsOfKey(dialect, key));
    });
  }

  /**
   * Counts the jobs that are not finished, by queue and state. Queues without any are left out.
   *
   * @param limit where counting a state ends: the cost does not grow beyond it. 1 to 1,000,000. Default: 10,000.
   * @throws InvalidOptionError
   */
  async counts(limit = 10_000): Promise<QueueCounts[]> {
    wholeNumber('limit', limit, 1, 1_000_000);
    return this.engine.execute((dialect) => countJobs(dialect, limit), { purpose: 'count jobs', readOnly: true });
  }

  /**
   * Tells how the queue is: whether the database answers, whether the worker of this process holds its lease, how old the
   * backlog is, and for how long a transaction has been open that stops purge. It does not throw where something is wrong.
   *
   * It costs a few statements, whatever the tables hold: one entry of an index is read for each queue, tenant and priority
   * that has ready jobs. They take a connection of the application's pool: where none is free in time the database is
   * down for this process.
   *
   * @throws InvalidOptionError, UnknownOptionError
   */
  async health(options: HealthOptions = {}): Promise<QueueHealth> {
    return checkHealth(this.engine, this.workers, options);
  }

  /**
   * Deletes finished jobs from the history, whatever their outcome, in batches that each commit by themselves; in day partitions whole
   * days at once. Finished groups go with them. A worker does so regularly: see its `retention`.
   *
   * @param age how long ago they finished at least.
   * @returns how many were deleted.
   * @throws InvalidOptionError
   */
  async prune(age: Duration): Promise<number> {
    const rule = { age: toMilliseconds('age', age), count: null };
    return pruneHistory(this.engine, { succeeded: rule, failed: rule, cancelled: rule });
  }

  /**
   * A lock that one holder at a time has, over all processes. Nothing is locked yet: see `NamedLock`.
   *
   * @throws InvalidNameError
   */
  lock(name: string): NamedLock {
    return new NamedLock(this, name);
  }

  private read<T>(transaction: TransactionOptions, factory: OperationFactory<T>): Promise<T> {
    const queryRunner = this.caller.find(transaction);
    const purpose = 'find jobs';
    return queryRunner
      ? this.engine.executeOn(queryRunner, factory, purpose)
      : this.engine.execute(factory, { purpose, readOnly: true });
  }
}

function idBytes(id: string): Buffer {
  assertJobId(id);
  return uuidToBytes(id);
}
