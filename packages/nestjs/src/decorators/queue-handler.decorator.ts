import { SetMetadata } from '@nestjs/common';
import {
  type AnyJobDefinition,
  type BatchJob,
  type BatchOptions,
  InvalidOptionError,
  type JobContext,
  type JobDefinition,
  type TransactionalJobContext,
} from '@tablequeue/typeorm';
import { assertJobDefinition, assertJobName, assertKnownOptions, resolveBatchSize } from '@tablequeue/typeorm/internal';

import { resolveDataSourceName } from '../options/data-source.name.js';
import { RepeatedQueueHandlerError, UnsupportedHandlerMethodError } from '../errors/index.js';
import { keepArguments } from '../handlers/handler.arguments.js';
import { markAsEntryProvider } from '../handlers/nest.metadata.js';
import { QUEUE_HANDLER_METADATA } from '../table-queue.constants.js';
import { sourceOf } from './decorator.source.js';

/** What the decorator leaves on a method. */
export interface QueueHandlerMetadata {
  /** Or the name of one that the module was given. */
  readonly definition: AnyJobDefinition | string;
  /** The name of the data source whose queue it handles. */
  readonly dataSource: string;
  readonly isTransactional: boolean;
  /** How many jobs a call gets at most; undefined where it gets one and its payload. */
  readonly batchSize: number | undefined;
}

/** How a decorated method is run. */
export interface QueueHandlerOptions {
  /** The name of the data source whose jobs the method handles. Default: the default data source. */
  readonly dataSource?: string;
  /**
   * Runs the method in a transaction on the queue's data source that also ends the job, so that what it writes with
   * `job.manager` takes effect exactly once: see `transactionalHandler`. Default: false.
   */
  readonly transactional?: boolean;
  /**
   * Calls the method with many jobs at once, up to `size`, and lets it say what becomes of each: see `batchHandler`. Not
   * together with `transactional`. Default: false.
   */
  readonly batch?: boolean | BatchOptions;
}

type SingleOptions = QueueHandlerOptions & { readonly batch?: false };
type TransactionalOptions = SingleOptions & { readonly transactional: true };
type BatchHandlerOptions = QueueHandlerOptions & {
  readonly batch: true | BatchOptions;
  readonly transactional?: false;
};

type HandlerDecorator<Payload, Context extends JobContext> = <
  Method extends (payload: Payload, job: Context) => unknown,
>(
  target: object,
  property: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

type BatchHandlerDecorator<Payload> = <Method extends (jobs: readonly BatchJob<Payload>[]) => void | Promise<void>>(
  target: object,
  property: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Makes a method of a provider, or of a controller, the handler of a job. A job has one handler in an application, for each
 * data source.
 *
 * The method gets the payload and the `JobContext`; what it returns is kept as the job's result, what it throws is a
 * failed attempt. With `batch` it gets an array of `BatchJob`. Jobs are run at least once.
 *
 * Guards, interceptors, pipes and exception filters apply as they do to routes. A request-scoped or transient provider
 * is made for each attempt, for each call of a batch handler, and `@Inject(REQUEST)` gives it the `QueueRequest` or
 * `QueueBatchRequest`.
 *
 * A parameter that does not fit the payload of the definition is a compile error. Where there is only the name of a job
 * the type argument says what its payload is.
 *
 * @param definition what `defineJob` returned, or the name of one in the module's option `definitions`.
 * @throws InvalidOptionError for what is no definition, and for wrong options; UnknownOptionError; InvalidNameError;
 *   UnsupportedHandlerMethodError for what is no method, a static or a symbol-named one; RepeatedQueueHandlerError.
 */
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options: TransactionalOptions,
): HandlerDecorator<Output, TransactionalJobContext>;
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options: BatchHandlerOptions,
): BatchHandlerDecorator<Output>;
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options?: SingleOptions,
): HandlerDecorator<Output, JobContext>;
export function QueueHandler<Payload = unknown>(
  name: string,
  options: TransactionalOptions,
): HandlerDecorator<Payload, TransactionalJobContext>;
export function QueueHandler<Payload = unknown>(
  name: string,
  options: BatchHandlerOptions,
): BatchHandlerDecorator<Payload>;
export function QueueHandler<Payload = unknown>(
  name: string,
  options?: SingleOptions,
): HandlerDecorator<Payload, JobContext>;
export function QueueHandler(definition: AnyJobDefinition | string, options: QueueHandlerOptions = {}) {
  return (target: object, property: string | symbol, descriptor?: PropertyDescriptor): void => {
    const place = sourceOf(target, property);
    const metadata = metadataOf(definition, options, `@QueueHandler of ${place}`);
    const method: unknown = descriptor?.value;
    if (typeof target === 'function' || typeof property === 'symbol' || !descriptor || typeof method !== 'function') {
      throw new UnsupportedHandlerMethodError(place);
    }
    const other = Reflect.getMetadata(QUEUE_HANDLER_METADATA, method) as QueueHandlerMetadata | undefined;
    if (other) {
      throw new RepeatedQueueHandlerError(place, [nameOf(other.definition), nameOf(definition)]);
    }
    SetMetadata(QUEUE_HANDLER_METADATA, metadata)(target, property, descriptor);
    keepArguments(target, property);
    markAsEntryProvider(target);
  };
}

function metadataOf(
  definition: AnyJobDefinition | string,
  options: QueueHandlerOptions,
  decorator: string,
): QueueHandlerMetadata {
  if (typeof definition === 'string') {
    assertJobName(definition);
  } else {
    assertJobDefinition(decorator, definition);
  }
  assertKnownOptions(options, ['dataSource', 'transactional', 'batch'], `${decorator}.`);
  const dataSource = resolveDataSourceName(`${decorator}.dataSource`, options.dataSource);
  const isTransactional = options.transactional === true;
  const batchSize = batchSizeOf(options.batch, `${decorator}.batch`);
  if (isTransactional && batchSize !== undefined) {
    throw new InvalidOptionError(
      `${decorator}.batch`,
      options.batch,
      'left out beside `transactional`: a transaction ends one job',
    );
  }
  return { definition, dataSource, isTransactional, batchSize };
}

function nameOf(definition: AnyJobDefinition | string): string {
  return typeof definition === 'string' ? definition : definition.name;
}

function batchSizeOf(batch: boolean | BatchOptions | undefined, path: string): number | undefined {
  if (batch === undefined || batch === false) {
    return undefined;
  }
  return resolveBatchSize(batch === true ? {} : batch, `${path}.`);
}
