import type { EntityManager } from 'typeorm';

import { type AnyJobDefinition, type JobDefinition, assertJobDefinition } from '../../definition/job-definition.js';
import { DuplicateHandlerError, InvalidOptionError } from '../../errors/index.js';
import { type Duration, LONGEST_TIMER, toMilliseconds } from '../../duration.js';
import { assertKnownOptions, assertList, wholeNumber } from '../../options.js';
import { MOST_CLAIMED } from '../../store/base/chunks.js';
import type { DurableJobContext } from './durable-context.js';
import type { JobContext } from './job-context.js';

export type { JobContext, JobInfo } from './job-context.js';

/** The default of `BatchOptions.size`. */
const DEFAULT_BATCH_SIZE = 100;

/** The job of a transactional handler's call, with the manager of its transaction. */
export interface TransactionalJobContext extends JobContext {
  /**
   * The entity manager of the transaction that also completes the job. What you write with it, including enqueued jobs,
   * is committed exactly once: if and only if the job succeeds.
   */
  readonly manager: EntityManager;
}

/** One job of a batch handler's call. */
export interface BatchJob<Payload> extends JobContext {
  /** The payload, validated by the definition's schema. */
  readonly payload: Payload;
  /**
   * Completes the job as succeeded at once, with an optional result.
   *
   * @throws BatchOutcomeError when the job has an outcome already, or the call has ended.
   */
  readonly succeed: (result?: unknown) => void;
  /**
   * Fails the attempt at once with an error. `UnrecoverableJobError` and `SnoozeJobError` work as if a handler threw
   * them.
   *
   * @throws BatchOutcomeError when the job has an outcome already, or the call has ended.
   */
  readonly fail: (error: unknown) => void;
}

/** A function that runs a job. Its return value is stored as the job's result; what it throws fails the attempt. */
export type HandlerFunction<Payload> = (payload: Payload, job: DurableJobContext) => unknown;

/** A function that runs a job in a transaction. */
export type TransactionalHandlerFunction<Payload> = (payload: Payload, job: TransactionalJobContext) => unknown;

/** A function that runs many jobs in one call. Its return value is ignored: report results with `BatchJob.succeed`. */
export type BatchHandlerFunction<Payload> = (jobs: readonly BatchJob<Payload>[]) => void | Promise<void>;

/** A handler that gets one job per call, with its definition. */
export interface SingleJobHandler {
  readonly definition: AnyJobDefinition;
  readonly handle: HandlerFunction<unknown>;
  /** The name of the function, for error messages. */
  readonly source: string;
  /** Whether it runs in a transaction that also completes the job. Default: false. */
  readonly isTransactional?: boolean;
  readonly batch?: undefined;
}

/** A handler that gets many jobs per call, with its definition. */
export interface BatchJobHandler {
  readonly definition: AnyJobDefinition;
  readonly handle: BatchHandlerFunction<unknown>;
  /** The name of the function, for error messages. */
  readonly source: string;
  /** Which jobs share a call. */
  readonly batch: BatchPolicy;
}

/** Batch options, checked. */
export interface BatchPolicy {
  readonly size: number;
  /** In ms; undefined where a call gets the jobs of one claim. */
  readonly maxWait: number | undefined;
  readonly by: ((payload: unknown) => string) | undefined;
}

/** A handler with its definition, made by `jobHandler`, `transactionalHandler` or `batchHandler`. */
export type JobHandler = SingleJobHandler | BatchJobHandler;

/** Whether a handler gets many jobs per call. */
export function isBatchHandler(handler: JobHandler): handler is BatchJobHandler {
  return handler.batch !== undefined;
}

/** Options of `batchHandler`. */
export interface BatchOptions<Payload = never> {
  /**
   * How many jobs one call gets at most: 1 to 800, and never more than the worker's `concurrency` for the queue.
   * Default: 100.
   */
  readonly size?: number;
  /**
   * How long a worker waits for `size` jobs before it makes a smaller call, from the first job that it claims for the
   * call: 1 ms to 24 days. It waits no longer when the queue or the worker has no free slot, or the worker stops.
   * Default: it does not wait.
   */
  readonly maxWait?: Duration;
  /** Returns a key for a payload. Only jobs with the same key share a call. Default: all jobs may. */
  readonly by?: (payload: Payload) => string;
}

/**
 * Pairs a job definition with its handler. The compiler checks the payload's type.
 *
 * Delivery is at least once: make the handler idempotent.
 *
 * @example
 * const handler = jobHandler(sendEmail, async ({ to }, { id, signal }) => mail.send(to, { id, signal }));
 *
 * @throws InvalidOptionError when `definition` was not made by `defineJob`.
 */
export function jobHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  handle: NoInfer<HandlerFunction<Output>>,
): JobHandler {
  assertJobDefinition('definition', definition);
  return { definition, handle: handle as HandlerFunction<unknown>, source: sourceOf(handle) };
}

/**
 * Pairs a job definition with a handler that runs in a transaction of the application's data source.
 *
 * When the handler returns, the same transaction completes the job and commits. So what the handler writes with
 * `manager` takes effect exactly once, however often the job runs. When the handler throws, or another worker has taken
 * the job over, everything is rolled back. Effects outside the database, such as mails, still happen at least once.
 *
 * The transaction uses the data source's isolation level, and a connection of the application's pool while the handler
 * runs. On SQLite one transactional handler runs at a time.
 *
 * @example
 * const handler = transactionalHandler(book, async ({ orderId }, { manager }) => {
 *   await manager.insert(Booking, { orderId });
 * });
 *
 * @throws InvalidOptionError when `definition` was not made by `defineJob`.
 */
export function transactionalHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  handle: NoInfer<TransactionalHandlerFunction<Output>>,
): JobHandler {
  assertJobDefinition('definition', definition);
  // Called with a manager, see `transactional-attempt.ts`.
  const called = handle as unknown as HandlerFunction<unknown>;
  return { definition, handle: called, source: sourceOf(handle), isTransactional: true };
}

/**
 * Pairs a job definition with a handler that runs many jobs in one call, for work that is cheaper together: a bulk
 * request, a multi-row statement.
 *
 * A call gets the jobs of one claim, in their order, up to `size`. Without `maxWait` no call waits for a batch to fill,
 * so it may get a single job. With `maxWait` it may get jobs of several claims of this worker; they keep their slots
 * while they wait. Each job has its own attempts, signal, timeout and outcome, and takes a slot of the queue's
 * concurrency until the call ends. `succeed` and `fail` complete a job at once. Jobs without an outcome succeed when the
 * handler returns, without a result, and fail when it throws.
 *
 * A job with an invalid payload fails and never reaches the handler. A job that is one crash away from failing as
 * poison gets a call of its own.
 *
 * @example
 * const handler = batchHandler(index, async (jobs) => search.bulk(jobs.map(({ payload }) => payload)), { size: 200 });
 *
 * @throws InvalidOptionError when `definition` was not made by `defineJob`, or an option is out of range.
 * @throws UnknownOptionError for an option that does not exist.
 */
export function batchHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  handle: NoInfer<BatchHandlerFunction<Output>>,
  options: BatchOptions<NoInfer<Output>> = {},
): JobHandler {
  assertJobDefinition('definition', definition);
  const batch = resolveBatch(options);
  return { definition, handle: handle as BatchHandlerFunction<unknown>, source: sourceOf(handle), batch };
}

/**
 * Checks batch options and fills in the defaults.
 *
 * @param path the path of the options in error messages: `''` or ending in a dot.
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveBatch(options: BatchOptions, path = ''): BatchPolicy {
  assertKnownOptions(options, ['size', 'maxWait', 'by'], path);
  const { size = DEFAULT_BATCH_SIZE, maxWait, by } = options;
  if (by !== undefined && typeof by !== 'function') {
    throw new InvalidOptionError(`${path}by`, by, 'a function');
  }
  return {
    size: wholeNumber(`${path}size`, size, 1, MOST_CLAIMED),
    maxWait: maxWait === undefined ? undefined : toMilliseconds(`${path}maxWait`, maxWait, 1, LONGEST_TIMER),
    by: by as BatchPolicy['by'],
  };
}

function sourceOf(handle: { readonly name: string }): string {
  return handle.name || 'an anonymous function';
}

/**
 * Rejects handlers that were not made by `jobHandler` and the like.
 *
 * @throws InvalidOptionError
 */
export function assertHandlers(handlers: unknown): asserts handlers is readonly JobHandler[] {
  assertList('handlers', handlers, 'a list of handlers');
  for (const [index, handler] of (handlers as readonly (Partial<JobHandler> | null | undefined)[]).entries()) {
    if (typeof handler?.handle !== 'function') {
      const accepted = 'made by jobHandler, transactionalHandler, batchHandler or eventHandler';
      throw new InvalidOptionError(`handlers[${index}]`, Object.prototype.toString.call(handler), accepted);
    }
    assertJobDefinition(`handlers[${index}].definition`, handler.definition);
  }
}

/**
 * The handlers by the name of their job.
 *
 * @throws DuplicateHandlerError
 */
export function handlersByName(handlers: readonly JobHandler[]): ReadonlyMap<string, JobHandler> {
  const byName = new Map<string, JobHandler>();
  for (const handler of handlers) {
    const { name } = handler.definition;
    const other = byName.get(name);
    if (other) {
      throw new DuplicateHandlerError(name, [other.source, handler.source]);
    }
    byName.set(name, handler);
  }
  return byName;
}
