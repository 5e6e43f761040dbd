import { executeRead } from '../engine/engine.js';
import { type EventDefinition, assertEventDefinition } from '../definition/event-definition.js';
import type { JobDefinition } from '../definition/job-definition.js';
import { assertJobId } from '../definition/job-id.js';
import { type Duration, toMilliseconds } from '../duration.js';
import { NamedLock } from '../lock/named-lock.js';
import { pruneFinished } from '../maintenance/pruner/prune-finished.js';
import { wholeNumber } from '../options.js';
import { findLanes } from '../store/base/order/find-lanes.js';
import { type QueueCounts, countJobs } from '../store/reports/count-jobs.js';
import type { JobSnapshot } from '../store/reports/find-jobs.js';
import type { TransactionOptions } from './enqueue/caller-transaction.js';
import {
  type BulkJob,
  type EnqueueArguments,
  type PublishArguments,
  splitTransaction,
} from './enqueue/enqueue-options.js';
import type { EnqueuedJob } from './enqueue/enqueued-job.js';
import type { CancelCounts, CancelFilter } from './jobs/cancel-many.js';
import { findById, findByKey } from './jobs/find-by.js';
import type { CancelByKeyOptions } from './jobs/job-canceller.js';
import type { WaitOptions } from './jobs/job-waits.js';
import { type HealthOptions, type QueueHealth, checkHealth, withoutQueues } from './health/check-health.js';
import { DurableQueue } from './durable-queue.js';

/**
 * The queue of a data source: enqueues, finds and cancels jobs. To run them, use `TableQueueWorker`.
 *
 * A job that is enqueued in a transaction exists if and only if the transaction commits. Jobs run at least once.
 *
 * @example
 * ```ts
 * const queue = new TableQueue(dataSource);
 * await dataSource.transaction(async (manager) => {
 *   await manager.save(order);
 *   await queue.enqueue(sendMail, { to: order.email }, { manager });
 * });
 * ```
 */
export class TableQueue extends DurableQueue {
  /**
   * Stores a job. With `manager`, `queryRunner` or `via` it is part of their transaction; otherwise it is committed when
   * the promise resolves. Simultaneous calls outside transactions share a statement.
   *
   * With `unique` the call waits for other transactions that take or free the same key: see `UniqueOptions`.
   *
   * @example
   * ```ts
   * await queue.enqueue(sendMail, { to: 'ada@example.org' }, { manager, delay: '10m', key: 'order:42' });
   * ```
   *
   * @throws InvalidPayloadError if the schema rejects the payload, UnserializablePayloadError if JSON would change it,
   *   PayloadTooLargeError if it is larger than `maxPayloadBytes`, EncodeFailedError if its codec fails.
   * @throws InvalidOptionError, InvalidNameError, UnknownOptionError for wrong options.
   * @throws DuplicateJobError if another job has the unique key, with `onConflict: 'throw'`.
   * @throws QueueFullError if the queue is full: see `QueueLimits.maxLength`.
   * @throws OutsideTransactionError inside a transaction without its manager, with `outsideTransaction: 'throw'`.
   * @throws TransactionEndedError if the transaction was committed or rolled back before the call was done;
   *   TransactionLostError if the database has ended that of `manager` or `queryRunner`.
   * @throws MissingTablesError, MissingPrivilegeError, DatabaseBusyError. The job was not stored.
   * @throws DatabaseUnavailableError. If the connection was lost outside a transaction, the job may or may not be
   *   stored.
   */
  async enqueue<Input, Output>(
    definition: JobDefinition<Input, Output>,
    ...[payload, options = {}]: EnqueueArguments<Input>
  ): Promise<EnqueuedJob> {
    const [transaction, jobOptions] = splitTransaction(options);
    const handle = this.caller.findForChange(transaction, `The enqueue of "${definition?.name}"`);
    return this.enqueuer.one(definition, payload, jobOptions, handle);
  }

  /**
   * Stores many jobs of one definition, all or none, in the given transaction or in one of its own. Every payload and
   * option is checked before the first job is stored. Jobs whose unique key is taken are left out.
   *
   * @example
   * ```ts
   * await queue.enqueueMany(sendMail, [
   *   { payload: { to: 'ada@example.org' } },
   *   { payload: { to: 'bob@example.org' }, delay: '1h' },
   * ]);
   * ```
   *
   * @returns the jobs in the given order.
   * @throws the errors of `enqueue`.
   */
  async enqueueMany<Input, Output>(
    definition: JobDefinition<Input, Output>,
    jobs: NoInfer<readonly BulkJob<Input>[]>,
    transaction: TransactionOptions = {},
  ): Promise<EnqueuedJob[]> {
    const handle = this.caller.findForChange(transaction, `The enqueue of "${definition?.name}"`);
    return this.enqueuer.many(definition, jobs, handle);
  }

  /**
   * Publishes an event: stores one row, however many subscriptions the event has. With `manager` or `queryRunner` it is
   * part of their transaction. After the commit, a worker stores one job for each subscription: see `eventHandler`.
   *
   * @example
   * ```ts
   * await queue.publish(orderPaid, { orderId: 42 }, { manager });
   * ```
   *
   * @returns the id of the event, for `find` and `waitFor`: it has succeeded when all its jobs are stored.
   * @throws the errors of `enqueue`, except DuplicateJobError.
   */
  async publish<Input, Output>(
    event: EventDefinition<Input, Output>,
    ...[payload, transaction = {}]: PublishArguments<Input>
  ): Promise<{ readonly id: string }> {
    assertEventDefinition('event', event);
    const handle = this.caller.findForChange(transaction, `The publishing of "${event.name}"`);
    const { id } = await this.enqueuer.one(event.job, payload, {}, handle);
    return { id };
  }

  /**
   * Cancels a job. A waiting job is cancelled at once. The signal of a running one is aborted within a second, in every
   * process; if its handler then throws, the job is cancelled.
   *
   * @returns `'cancelled'`, `'requested'` for a running job, or undefined if it has finished or does not exist.
   * @throws InvalidOptionError for an invalid id; OutsideTransactionError as `enqueue` does.
   */
  async cancel(id: string, transaction: TransactionOptions = {}): Promise<'cancelled' | 'requested' | undefined> {
    return this.canceller.cancel(id, transaction);
  }

  /**
   * Cancels the jobs with a key, as `cancel` does.
   *
   * @example
   * ```ts
   * await queue.cancelByKey('order:42', { manager, only: sendReminder });
   * ```
   *
   * @returns how many were cancelled, and how many running ones were requested to end.
   * @throws InvalidNameError for an invalid key, InvalidOptionError, UnknownOptionError; OutsideTransactionError as
   *   `enqueue` does.
   */
  async cancelByKey(key: string, options: CancelByKeyOptions = {}): Promise<CancelCounts> {
    return this.canceller.cancelByKey(key, options);
  }

  /**
   * Cancels all or some jobs of a queue, as `cancel` does, in batches that each commit on their own.
   *
   * @returns how many were cancelled, and how many running ones were requested to end.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError for a wrong filter.
   */
  async cancelMany(filter: CancelFilter): Promise<CancelCounts> {
    return this.canceller.cancelMany(filter);
  }

  /**
   * Finds a live or finished job by its id. In a transaction it sees the changes of that transaction. A value that
   * this process cannot decode is an `UndecodedValue`.
   *
   * @returns undefined if it does not exist, or is no longer kept.
   * @throws InvalidOptionError for an invalid id, UnknownOptionError.
   */
  async find(id: string, transaction: TransactionOptions = {}): Promise<JobSnapshot | undefined> {
    return findById(this.engine, this.codecs, this.caller, id, transaction);
  }

  /**
   * Finds the live and finished jobs with a key, oldest first. In a transaction it sees the changes of that
   * transaction.
   *
   * @throws InvalidNameError for an invalid key, InvalidOptionError, UnknownOptionError.
   */
  async findByKey(key: string, transaction: TransactionOptions = {}): Promise<JobSnapshot[]> {
    return findByKey(this.engine, this.codecs, this.caller, key, transaction);
  }

  /**
   * Waits until a job has finished: at most 250 ms longer than that, or not at all longer if a worker of this process
   * runs it. Do not wait inside the transaction that has enqueued the job: it runs only after the commit.
   *
   * @example
   * ```ts
   * const total = await queue.waitFor<number>(id, { timeout: '30s' });
   * ```
   *
   * @returns the result of its handler.
   * @throws JobFailedError, JobCancelledError, JobExpiredError if it has failed, was cancelled or has expired.
   * @throws UnknownCodecError, DecodeFailedError if this process cannot decode the result.
   * @throws JobGoneError if it has finished and was not kept (`keep: 'none'`), and a poll had seen it before.
   * @throws WaitTimeoutError if it has not finished in time, or does not exist.
   * @throws the reason of the signal when that is aborted; InvalidOptionError, UnknownOptionError for wrong options.
   */
  async waitFor<Result = unknown>(id: string, options: WaitOptions = {}): Promise<Result> {
    assertJobId(id);
    return this.waits.wait(id, options) as Promise<Result>;
  }

  /**
   * Counts the live jobs by queue and state. Queues without live jobs are left out.
   *
   * @param limit where counting a state ends, to limit the cost: 1 to 1,000,000. Default: 10,000.
   * @throws InvalidOptionError for a limit outside its range.
   */
  async counts(limit = 10_000): Promise<QueueCounts[]> {
    wholeNumber('limit', limit, 1, 1_000_000);
    return executeRead(this.engine, 'count jobs', function* (dialect) {
      return yield* countJobs(dialect, yield* findLanes(dialect), limit);
    });
  }

  /**
   * Returns what is wrong with the queue, its jobs, its workers and its database, worst first. It costs a few dozen
   * short statements, whatever the size of the tables, on one connection of the application's pool at a time.
   *
   * @example
   * ```ts
   * const { isHealthy, status, problems } = await queue.health({ maxBacklogAge: '5m' });
   * ```
   *
   * @returns the problems, also if the database does not answer: it does not throw for them.
   * @throws InvalidOptionError, UnknownOptionError for wrong options.
   */
  async health(options: HealthOptions = {}): Promise<QueueHealth> {
    return withoutQueues(await checkHealth(this.healthReader, this.workers, options));
  }

  /**
   * Deletes finished jobs and groups, in batches that each commit on their own. A worker does this regularly: see its
   * `retention`.
   *
   * @param age the least time since they finished: 0 ms to 100 years.
   * @returns how many jobs were deleted.
   * @throws InvalidOptionError for an invalid duration.
   */
  async prune(age: Duration): Promise<number> {
    const rule = { age: toMilliseconds('age', age), count: null };
    return pruneFinished(this.engine, { succeeded: rule, failed: rule, cancelled: rule, expired: rule });
  }

  /**
   * Returns a named lock, which one holder at a time has in all processes. It is not acquired yet: see `NamedLock`.
   *
   * @param name 1 to 191 characters.
   * @throws InvalidNameError for an invalid name.
   */
  lock(name: string): NamedLock {
    return new NamedLock(this, name);
  }
}
