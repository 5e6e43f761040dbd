import type { BatchJob, JobContext, ScheduleOptions } from '@tablequeue/typeorm';

import { UnsupportedHandlerMethodError } from '../errors/index.js';
import { addMethodMetadata } from '../handlers/method.metadata.js';
import { RECURRING_METADATA } from '../table-queue.constants.js';
import { isStandardContext, sourceOf } from './decorator.source.js';
import type { ComposableDecorator, DecoratorArguments } from './method-decorator.types.js';

/** Options of `@Recurring`. */
export interface RecurringOptions<Payload> extends ScheduleOptions {
  /**
   * The payload of each job, of the type the method takes. If a schema transforms the payload, use `recurring.set`.
   * Default: none.
   */
  readonly payload?: Payload;
}

/** The metadata of one `@Recurring` on a method. */
export interface RecurringMetadata {
  /** Undefined where it is the name of the job. */
  readonly name: string | undefined;
  readonly options: RecurringOptions<unknown>;
}

type RecurringMethod<Payload> =
  ((payload: Payload, job: JobContext) => unknown) | ((jobs: readonly BatchJob<Payload>[]) => unknown);

type RecurringDecorator<Payload> = ComposableDecorator<
  <Method extends RecurringMethod<Payload>>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ) => void
>;

/**
 * Enqueues the job of a `@QueueHandler` method by a cron expression or at an interval. Each tick fires once, however
 * many processes run. Any of them then runs the job at least once.
 *
 * The schedule is set when the application starts; wrong options stop the start. A paused schedule stays paused. If you
 * remove the decorator, the schedule goes on, because older processes may still run: see `recurring.remove`.
 *
 * @example
 * @Recurring({ cron: '0 6 * * *', timeZone: 'Europe/Berlin', overlap: false })
 * @QueueHandler(dailyReport)
 * async report() { … }
 *
 * @throws UnsupportedHandlerMethodError for a class, or a static or symbol-named method, and without the compiler
 *   option `experimentalDecorators`.
 */
export function Recurring<Payload = undefined>(options: RecurringOptions<Payload>): RecurringDecorator<Payload>;
/**
 * As above, with a name for the schedule.
 *
 * @param name the name of the schedule, needed where a job has several. Default: the name of the job.
 */
export function Recurring<Payload = undefined>(
  name: string,
  options: RecurringOptions<Payload>,
): RecurringDecorator<Payload>;
export function Recurring<Payload>(
  ...given: [RecurringOptions<Payload>] | [string, RecurringOptions<Payload>]
): RecurringDecorator<Payload> {
  const [name, options] = given.length === 1 ? [undefined, given[0]] : given;
  return (...[target, property]: DecoratorArguments): void => {
    if (isStandardContext(property)) {
      throw new UnsupportedHandlerMethodError(sourceOf(target, property), 'standard decorator');
    }
    if (typeof target === 'function' || typeof property !== 'string') {
      throw new UnsupportedHandlerMethodError(sourceOf(target, property));
    }
    const metadata: RecurringMetadata = { name, options };
    addMethodMetadata(RECURRING_METADATA, metadata, target, property);
  };
}
