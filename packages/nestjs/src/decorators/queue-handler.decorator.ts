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
import { assertJobDefinition, assertKnownOptions, resolveBatchSize } from '@tablequeue/typeorm/internal';

import { resolveDataSourceName } from '../data-source-name.js';
import { UnsupportedHandlerMethodError } from '../errors/index.js';
import { QUEUE_HANDLER_METADATA } from '../table-queue.constants.js';

/** What the decorator leaves on a method. */
export interface QueueHandlerMetadata {
  readonly definition: AnyJobDefinition;
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
 * A parameter that does not fit the payload of the definition is a compile error.
 *
 * @throws InvalidOptionError for what is no definition, and for wrong options; UnknownOptionError;
 *   UnsupportedHandlerMethodError for a static or symbol-named method.
 */
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options: QueueHandlerOptions & { readonly transactional: true; readonly batch?: false },
): HandlerDecorator<Output, TransactionalJobContext>;
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options: QueueHandlerOptions & { readonly batch: true | BatchOptions; readonly transactional?: false },
): BatchHandlerDecorator<Output>;
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options?: QueueHandlerOptions & { readonly batch?: false },
): HandlerDecorator<Output, JobContext>;
export function QueueHandler(definition: AnyJobDefinition, options: QueueHandlerOptions = {}) {
  return (target: object, property: string | symbol, descriptor: PropertyDescriptor): void => {
    const place = `${typeof target === 'function' ? target.name : target.constructor.name}.${String(property)}`;
    assertJobDefinition(`@QueueHandler of ${place}`, definition);
    if (typeof target === 'function' || typeof property === 'symbol') {
      throw new UnsupportedHandlerMethodError(place);
    }
    assertKnownOptions(options, ['dataSource', 'transactional', 'batch'], `@QueueHandler of ${place}.`);
    const dataSource = resolveDataSourceName(`@QueueHandler of ${place}.dataSource`, options.dataSource);
    const isTransactional = options.transactional === true;
    const batchSize = batchSizeOf(options.batch, `@QueueHandler of ${place}.batch`);
    if (isTransactional && batchSize !== undefined) {
      throw new InvalidOptionError(
        `@QueueHandler of ${place}.batch`,
        options.batch,
        'left out beside `transactional`: a transaction ends one job',
      );
    }
    const metadata: QueueHandlerMetadata = { definition, dataSource, isTransactional, batchSize };
    SetMetadata(QUEUE_HANDLER_METADATA, metadata)(target, property, descriptor);
  };
}

function batchSizeOf(batch: boolean | BatchOptions | undefined, path: string): number | undefined {
  if (batch === undefined || batch === false) {
    return undefined;
  }
  return resolveBatchSize(batch === true ? {} : batch, `${path}.`);
}
