import { SetMetadata } from '@nestjs/common';
import {
  type AnyJobDefinition,
  type BatchJob,
  type BatchOptions,
  type DurableJobContext,
  InvalidOptionError,
  type JobContext,
  type JobDefinition,
  type TransactionalJobContext,
} from '@tablequeue/typeorm';
import {
  type BatchPolicy,
  assertJobDefinition,
  assertJobName,
  assertKnownOptions,
  resolveBatch,
} from '@tablequeue/typeorm/internal';

import { resolveDataSourceName } from '../options/data-source.name.js';
import { RepeatedQueueHandlerError, UnsupportedHandlerMethodError } from '../errors/index.js';
import { keepArguments } from '../handlers/handler.arguments.js';
import { declareMethod } from '../handlers/declared.classes.js';
import { inheritMetadata, keepDecoratedFunction } from '../handlers/decorated.function.js';
import { markAsEntryProvider } from '../handlers/nest.metadata.js';
import { QUEUE_HANDLER_METADATA } from '../table-queue.constants.js';
import { isStandardContext, sourceOf } from './decorator.source.js';
import type { ComposableDecorator, DecoratorArguments } from './method-decorator.types.js';

/** The metadata of one `@QueueHandler` or `@OnEvent` on a method. Several `@OnEvent` are a list. */
export interface QueueHandlerMetadata {
  /** The definition, or its name in the module's option `definitions`. */
  readonly definition: AnyJobDefinition | string;
  /** The name of the data source of the queue. */
  readonly dataSource: string;
  readonly isTransactional: boolean;
  /** Which jobs share a call; undefined where it gets one job and its payload. */
  readonly batch: BatchPolicy | undefined;
}

/** Options of `@QueueHandler`. */
export interface QueueHandlerOptions {
  /** The name of the data source of the queue. Default: the default data source. */
  readonly dataSource?: string;
  /**
   * Runs the method in a transaction of the queue's data source that also completes the job. What it writes with
   * `job.manager` takes effect exactly once: see `transactionalHandler`. Default: false.
   */
  readonly transactional?: boolean;
  /**
   * Calls the method with many jobs at once, up to `size`, and with `maxWait` waits for them; it reports the outcome of
   * each: see `batchHandler`. Not together with `transactional`. Default: false.
   */
  readonly batch?: boolean | BatchOptions;
}

type SingleOptions = QueueHandlerOptions & { readonly batch?: false };
type TransactionalOptions = SingleOptions & { readonly transactional: true };
type BatchHandlerOptions<Payload> = Omit<QueueHandlerOptions, 'batch'> & {
  readonly batch: true | BatchOptions<Payload>;
  readonly transactional?: false;
};

/** The decorator of a method that gets a payload and the context of its job. */
export type HandlerDecorator<Payload, Context extends JobContext> = ComposableDecorator<
  <Method extends (payload: Payload, job: Context) => unknown>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ) => void
>;

type BatchHandlerDecorator<Payload> = ComposableDecorator<
  <Method extends (jobs: readonly BatchJob<Payload>[]) => void | Promise<void>>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ) => void
>;

/**
 * Makes a method of a provider or controller the handler of a job. A job has one handler per application and data
 * source.
 *
 * The method gets the payload and the `DurableJobContext`. Its return value is stored as the job's result; an error
 * fails the attempt. With `batch` it gets an array of `BatchJob`. Delivery is at least once, so make the method
 * idempotent.
 *
 * Guards, interceptors, pipes and exception filters apply as to routes. A request-scoped or transient provider is
 * created for each attempt, or each call of a batch handler. It gets the `QueueRequest` or `QueueBatchRequest` by
 * `@Inject(REQUEST)`.
 *
 * A parameter that does not fit the definition's payload is a compile error. With the name of a job, pass the payload
 * type as the type argument.
 *
 * @example
 * @QueueHandler(sendEmail)
 * async send({ to }: JobPayload<typeof sendEmail>, job: JobContext) {
 *   await this.mail.send(to, { idempotencyKey: job.id });
 * }
 *
 * @param definition what `defineJob` returned, or its name in the module's option `definitions`.
 * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong definition or option.
 * @throws UnsupportedHandlerMethodError for a class, a property, an accessor, or a static or symbol-named method, and
 *   without the compiler option `experimentalDecorators`.
 * @throws RepeatedQueueHandlerError for a second decorator on the same method.
 */
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options: TransactionalOptions,
): HandlerDecorator<Output, TransactionalJobContext>;
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options: BatchHandlerOptions<NoInfer<Output>>,
): BatchHandlerDecorator<Output>;
export function QueueHandler<Input, Output>(
  definition: JobDefinition<Input, Output>,
  options?: SingleOptions,
): HandlerDecorator<Output, DurableJobContext>;
export function QueueHandler<Payload = unknown>(
  name: string,
  options: TransactionalOptions,
): HandlerDecorator<Payload, TransactionalJobContext>;
export function QueueHandler<Payload = unknown>(
  name: string,
  options: BatchHandlerOptions<Payload>,
): BatchHandlerDecorator<Payload>;
export function QueueHandler<Payload = unknown>(
  name: string,
  options?: SingleOptions,
): HandlerDecorator<Payload, DurableJobContext>;
export function QueueHandler(definition: AnyJobDefinition | string, options: QueueHandlerOptions = {}) {
  return (...[target, property, descriptor]: DecoratorArguments): void => {
    const source = sourceOf(target, property);
    const metadata = metadataOf(definition, options, `@QueueHandler of ${source}`);
    decorateHandler(metadata, target, property, descriptor);
  };
}

/**
 * Makes a method a handler.
 *
 * @throws UnsupportedHandlerMethodError, RepeatedQueueHandlerError
 */
export function decorateHandler(metadata: QueueHandlerMetadata, ...decorated: DecoratorArguments): void {
  const [target, property, descriptor] = decorated;
  const source = sourceOf(target, property);
  if (isStandardContext(property)) {
    throw new UnsupportedHandlerMethodError(source, 'standard decorator');
  }
  const method: unknown = descriptor?.value;
  if (typeof target === 'function' || typeof property !== 'string' || !descriptor || typeof method !== 'function') {
    throw new UnsupportedHandlerMethodError(source);
  }
  // Another decorator may have replaced the method since the last one: it gets the guards of that too.
  inheritMetadata(target, property, method);
  const others = handlerMetadata(method);
  const other = others.find((each) => excludes(each, metadata));
  if (other) {
    throw new RepeatedQueueHandlerError(source, [nameOf(other.definition), nameOf(metadata.definition)]);
  }
  SetMetadata(QUEUE_HANDLER_METADATA, [metadata, ...others])(target, property, descriptor);
  keepDecoratedFunction(target, property, method);
  keepArguments(target, property);
  markAsEntryProvider(target);
  declareMethod(target, `${property} handles "${nameOf(metadata.definition)}"`);
}

/** The metadata of the decorators on a method, from the top. */
export function handlerMetadata(method: object): readonly QueueHandlerMetadata[] {
  return (Reflect.getMetadata(QUEUE_HANDLER_METADATA, method) ?? []) as readonly QueueHandlerMetadata[];
}

/** A method can have several subscriptions, and otherwise handles one job. */
function excludes({ definition: one, ...rest }: QueueHandlerMetadata, other: QueueHandlerMetadata): boolean {
  const isTwice = nameOf(one) === nameOf(other.definition) && rest.dataSource === other.dataSource;
  return isTwice || [one, other.definition].some((each) => typeof each === 'string' || !each.subscription);
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
  const batch = batchPolicyOf(options.batch, `${decorator}.batch`);
  if (isTransactional && batch !== undefined) {
    throw new InvalidOptionError(
      `${decorator}.batch`,
      options.batch,
      'left out beside `transactional`: a transaction completes one job',
    );
  }
  return { definition, dataSource, isTransactional, batch };
}

function nameOf(definition: AnyJobDefinition | string): string {
  return typeof definition === 'string' ? definition : definition.name;
}

function batchPolicyOf(batch: QueueHandlerOptions['batch'], path: string): BatchPolicy | undefined {
  if (batch === undefined || batch === false) {
    return undefined;
  }
  return resolveBatch(batch === true ? {} : batch, `${path}.`);
}
