import type { EntityManager } from 'typeorm';

import { type AnyJobDefinition, type JobDefinition, assertJobDefinition } from '../definition/job-definition.js';
import { DuplicateHandlerError } from '../errors/index.js';

/** A job as handlers and events see it. */
export interface JobInfo {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
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

/** A function that does a job. What it returns is kept as the job's result; what it throws is a failed attempt. */
export type HandlerFunction<Payload> = (payload: Payload, job: JobContext) => unknown;

/** A function that does a job in a transaction. */
export type TransactionalHandlerFunction<Payload> = (payload: Payload, job: TransactionalJobContext) => unknown;

/** A handler and the definition it is for. */
export interface JobHandler {
  readonly definition: AnyJobDefinition;
  readonly handle: HandlerFunction<unknown>;
  /** Where the handler stands, for error texts. */
  readonly place: string;
  /** Whether it is run in a transaction that also ends the job. Default: false. */
  readonly isTransactional?: boolean;
}

/** Pairs a definition with its handler, checking the payload's type. */
export function jobHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  handle: HandlerFunction<Output>,
): JobHandler {
  assertJobDefinition('definition', definition);
  return { definition, handle: handle as HandlerFunction<unknown>, place: handle.name || 'an anonymous function' };
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
 */
export function transactionalHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  handle: TransactionalHandlerFunction<Output>,
): JobHandler {
  return { ...jobHandler(definition, handle as HandlerFunction<Output>), isTransactional: true };
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
