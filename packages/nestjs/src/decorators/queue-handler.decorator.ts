import { SetMetadata } from '@nestjs/common';
import type { AnyJobDefinition, JobContext, JobDefinition, TransactionalJobContext } from '@tablequeue/typeorm';
import { assertJobDefinition, assertKnownOptions } from '@tablequeue/typeorm/internal';

import { UnsupportedHandlerMethodError } from '../errors/index.js';
import { QUEUE_HANDLER_METADATA } from '../table-queue.constants.js';

/** What the decorator leaves on a method. */
export interface QueueHandlerMetadata {
  readonly definition: AnyJobDefinition;
  readonly isTransactional: boolean;
}

/** How a decorated method is run. */
export interface QueueHandlerOptions {
  /**
   * Runs the method in a transaction on the queue's data source that also ends the job, so that what it writes with
   * `job.manager` takes effect exactly once: see `transactionalHandler`. Default: false.
   */
  readonly transactional?: boolean;
}

type HandlerDecorator<Payload, Context extends JobContext> = <
  Method extends (payload: Payload, job: Context) => unknown,
>(
  target: object,
  property: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Makes a method of a provider, or of a controller, the handler of a job. A job has one handler in an application.
 *
 * The method gets the payload and the `JobContext`; what it returns is kept as the job's result, what it throws is a
 * failed attempt. Jobs are run at least once.
 *
 * A parameter that does not fit the payload of the definition is a compile error.
 *
 * @throws InvalidOptionError for what is no definition, UnknownOptionError, UnsupportedHandlerMethodError for a static
 *   or symbol-named method.
 */
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options: QueueHandlerOptions & { readonly transactional: true },
): HandlerDecorator<Output, TransactionalJobContext>;
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options?: QueueHandlerOptions,
): HandlerDecorator<Output, JobContext>;
export function QueueHandler(definition: AnyJobDefinition, options: QueueHandlerOptions = {}) {
  return (target: object, property: string | symbol, descriptor: PropertyDescriptor): void => {
    const place = `${typeof target === 'function' ? target.name : target.constructor.name}.${String(property)}`;
    assertJobDefinition(`@QueueHandler of ${place}`, definition);
    if (typeof target === 'function' || typeof property === 'symbol') {
      throw new UnsupportedHandlerMethodError(place);
    }
    assertKnownOptions(options, ['transactional'], `@QueueHandler of ${place}.`);
    const metadata: QueueHandlerMetadata = { definition, isTransactional: options.transactional === true };
    SetMetadata(QUEUE_HANDLER_METADATA, metadata)(target, property, descriptor);
  };
}
