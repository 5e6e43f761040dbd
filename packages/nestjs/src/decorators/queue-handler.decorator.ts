import { SetMetadata } from '@nestjs/common';
import type { AnyJobDefinition, JobContext, JobDefinition } from '@tablequeue/typeorm';
import { assertJobDefinition } from '@tablequeue/typeorm/internal';

import { UnsupportedHandlerMethodError } from '../errors/index.js';
import { QUEUE_HANDLER_METADATA } from '../table-queue.constants.js';

/** What the decorator leaves on a method. */
export interface QueueHandlerMetadata {
  readonly definition: AnyJobDefinition;
}

/**
 * Makes a method of a provider, or of a controller, the handler of a job. A job has one handler in an application.
 *
 * The method gets the payload and the `JobContext`; what it returns is kept as the job's result, what it throws is a
 * failed attempt. Jobs are run at least once.
 *
 * A parameter that does not fit the payload of the definition is a compile error.
 *
 * @throws InvalidOptionError for what is no definition, UnsupportedHandlerMethodError for a static or symbol-named method.
 */
export function QueueHandler<Input, Output>(definition: JobDefinition<Input, Output>) {
  return <Method extends (payload: Output, job: JobContext) => unknown>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const place = `${typeof target === 'function' ? target.name : target.constructor.name}.${String(property)}`;
    assertJobDefinition(`@QueueHandler of ${place}`, definition);
    if (typeof target === 'function' || typeof property === 'symbol') {
      throw new UnsupportedHandlerMethodError(place);
    }
    const metadata: QueueHandlerMetadata = { definition };
    SetMetadata(QUEUE_HANDLER_METADATA, metadata)(target, property, descriptor as PropertyDescriptor);
  };
}
