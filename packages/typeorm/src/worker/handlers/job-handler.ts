import type { EntityManager } from 'typeorm';

import { type AnyJobDefinition, type JobDefinition, assertJobDefinition } from '../../definition/job-definition.js';
import type { QueueName } from '../../definition/queue-name.js';
import { DuplicateHandlerError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { MOST_CLAIMED } from '../../store/base/chunks.js';

/** How many jobs a batch handler gets at most where it does not say. */
const DEFAULT_BATCH_SIZE = 100;

/** A job as handlers and events see it. */
export interface JobInfo {
  readonly id: string;
  readonly name: string;
  readonly queue: QueueName;
  readonly key: string | undefined;
  /** Who the job is for. */
  readonly tenant: string | undefined;
  /** How often the job was claimed, this time included. Together with the id it is a fencing token for other systems. */
  readonly attempt: number;
  /** How many attempts have failed and were charged before this one. */
  readonly failures: number;
}

/** What a handler learns about its job besides the payload. */
export interface JobContext extends JobInfo {
  readonly createdAt: Date;
  /** When the job was due. */
  readonly runAt: Date;
  /**
   * Aborted when this run should end: the job was cancelled (`JobCancelledError`), the worker stops
   * (`WorkerStoppingError`) or has lost its lease (`LeaseLostError`). A handler that throws then has ended as cancelled,
   * or runs again; one that returns has succeeded, unless another worker has taken its job over. Or the attempt took
   * longer than its timeout (`JobTimeoutError`): then it has failed, whatever the handler does.
   */
  readonly signal: AbortSignal;
  /**
   * Tells how far the job is: any JSON, to be read as `JobSnapshot.progress`. Call it as often as you like: the last value
   * is written down, twice a second at most, and with the job's outcome. It never fails; what is no JSON, or larger than
   * `maxPayloadBytes`, is logged and dropped.
   */
  readonly progress: (value: unknown) => void;
}

/** What a transactional handler learns about its job besides the payload. */
export interface TransactionalJobContext extends JobContext {
  /**
   * The manager of the transaction in which the job is written down as ended when the handler returns. What is written
   * with it is there exactly if the job has succeeded. Jobs that are enqueued with it, too.
   */
  readonly manager: EntityManager;
}

/** One job of a batch handler's call. */
export interface BatchJob<Payload> extends JobContext {
  readonly payload: Payload;
  /**
   * Says that the job is done: it is written down as succeeded at once, with a result as a handler returns one.
   *
   * @throws BatchOutcomeError when something was said of it before, or the call has ended.
   */
  readonly succeed: (result?: unknown) => void;
  /**
   * Says that the attempt has failed, with what a handler might throw: an `UnrecoverableJobError` and a `SnoozeJobError`
   * mean what they mean there.
   *
   * @throws BatchOutcomeError when something was said of it before, or the call has ended.
   */
  readonly fail: (error: unknown) => void;
}

/** A function that does a job. What it returns is kept as the job's result; what it throws is a failed attempt. */
export type HandlerFunction<Payload> = (payload: Payload, job: JobContext) => unknown;

/** A function that does a job in a transaction. */
export type TransactionalHandlerFunction<Payload> = (payload: Payload, job: TransactionalJobContext) => unknown;

/** A function that does many jobs at once. It returns nothing: results belong to jobs, see `BatchJob.succeed`. */
export type BatchHandlerFunction<Payload> = (jobs: readonly BatchJob<Payload>[]) => void | Promise<void>;

/** A handler that gets one job at a time, and the definition it is for. */
export interface SingleJobHandler {
  readonly definition: AnyJobDefinition;
  readonly handle: HandlerFunction<unknown>;
  /** Where the handler stands, for error texts. */
  readonly place: string;
  /** Whether it is run in a transaction that also ends the job. Default: false. */
  readonly isTransactional?: boolean;
  readonly batchSize?: undefined;
}

/** A handler that gets many jobs in one call, and the definition it is for. */
export interface BatchJobHandler {
  readonly definition: AnyJobDefinition;
  readonly handle: BatchHandlerFunction<unknown>;
  /** Where the handler stands, for error texts. */
  readonly place: string;
  /** How many jobs it gets in one call at most. */
  readonly batchSize: number;
}

/** A handler and the definition it is for. */
export type JobHandler = SingleJobHandler | BatchJobHandler;

/** Whether a handler gets many jobs in one call. */
export function isBatchHandler(handler: JobHandler): handler is BatchJobHandler {
  return handler.batchSize !== undefined;
}

/** What `batchHandler` takes besides the function. */
export interface BatchOptions {
  /**
   * How many jobs one call gets at most: 1 to 800, which is also the most that one claim brings. It never gets more than
   * the worker's `concurrency` for the queue. Default: 100.
   */
  readonly size?: number;
}

/**
 * Pairs a definition with its handler, checking the payload's type.
 *
 * @throws InvalidOptionError for what is no definition.
 */
export function jobHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  handle: NoInfer<HandlerFunction<Output>>,
): JobHandler {
  assertJobDefinition('definition', definition);
  return { definition, handle: handle as HandlerFunction<unknown>, place: placeOf(handle) };
}

/**
 * Pairs a definition with a handler that is run in a transaction on the application's data source, with its isolation
 * level. When the handler returns the job is written down as ended in the same transaction, and then it is committed:
 * what the handler writes with `manager` takes effect exactly once, however often the job is run. When it throws, or the
 * job has been taken over by another worker, everything is rolled back.
 *
 * What the handler does elsewhere, mails or calls of other systems, is still done at least once.
 *
 * The transaction takes a connection of the application's pool for as long as the handler runs. On SQLite one
 * transactional handler runs at a time.
 *
 * @throws InvalidOptionError for what is no definition.
 */
export function transactionalHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  handle: NoInfer<TransactionalHandlerFunction<Output>>,
): JobHandler {
  assertJobDefinition('definition', definition);
  return { definition, handle: handle as HandlerFunction<unknown>, place: placeOf(handle), isTransactional: true };
}

/**
 * Pairs a definition with a handler that does many of its jobs in one call, for work that is cheaper together: a bulk
 * request, a multi-row statement.
 *
 * A call gets the jobs that one claim has brought, in their order, up to `size`; nothing waits for a batch to fill, so
 * one job alone is a call too. Each job takes a slot of its queue's concurrency until the call ends, and has its own
 * attempts, signal, timeout and outcome: what the handler says of it with `succeed` or `fail` counts at once. Jobs of
 * which it says nothing have succeeded when it returns, without a result, and have failed with what it throws.
 *
 * A job whose payload is not valid fails by itself and never comes to the handler. One that must not crash once more
 * comes alone.
 *
 * @throws InvalidOptionError, UnknownOptionError
 */
export function batchHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  handle: NoInfer<BatchHandlerFunction<Output>>,
  options: BatchOptions = {},
): JobHandler {
  assertJobDefinition('definition', definition);
  const batchSize = resolveBatchSize(options);
  return { definition, handle: handle as BatchHandlerFunction<unknown>, place: placeOf(handle), batchSize };
}

/**
 * How many jobs a call gets at most.
 *
 * @param path the place of the options, `''` or ending in a dot.
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveBatchSize(options: BatchOptions, path = ''): number {
  assertKnownOptions(options, ['size'], path);
  return wholeNumber(`${path}size`, options.size ?? DEFAULT_BATCH_SIZE, 1, MOST_CLAIMED);
}

function placeOf(handle: { readonly name: string }): string {
  return handle.name || 'an anonymous function';
}

/**
 * Handlers by the name of their job.
 *
 * @throws DuplicateHandlerError
 */
export function handlersByName(handlers: readonly JobHandler[]): ReadonlyMap<string, JobHandler> {
  const byName = new Map<string, JobHandler>();
  for (const handler of handlers) {
    const { name } = handler.definition;
    const other = byName.get(name);
    if (other) {
      throw new DuplicateHandlerError(name, [other.place, handler.place]);
    }
    byName.set(name, handler);
  }
  return byName;
}
