import type { AnyJobDefinition } from '@tablequeue/typeorm';
import { assertJobDefinition, assertKnownOptions, assertQueueName } from '@tablequeue/typeorm/internal';

import { resolveDataSourceName } from '../options/data-source.name.js';
import { UnsupportedListenerError } from '../errors/index.js';
import type { QueueEvent, QueueEventName } from '../events/queue-event.types.js';
import { assertQueueEventName } from '../events/queue.events.js';
import { declareMethod } from '../handlers/declared.classes.js';
import { addMethodMetadata } from '../handlers/method.metadata.js';
import { QUEUE_LISTENER_METADATA } from '../table-queue.constants.js';
import { isStandardContext, sourceOf } from './decorator.source.js';
import type { ComposableDecorator, DecoratorArguments } from './method-decorator.types.js';

/** Limits a listener to the jobs of one definition, or of one queue. */
export type QueueEventFilter = AnyJobDefinition | { readonly queue: string };

/** Options of `@OnQueueEvent`. */
export interface QueueListenerOptions {
  /** The name of the data source of the queue. Default: the default data source. */
  readonly dataSource?: string;
}

/** The metadata of one `@OnQueueEvent` on a method. */
export interface QueueListenerMetadata {
  readonly event: QueueEventName;
  /** The name of the data source of the queue. */
  readonly dataSource: string;
  readonly isWanted: (event: QueueEvent) => boolean;
  /** The queue of the filter, if it is given by its name. */
  readonly queue: string | undefined;
}

type ListenerDecorator<Name extends QueueEventName> = ComposableDecorator<
  <Method extends (event: QueueEvent<Name>) => unknown>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ) => void
>;

/**
 * Calls a method of a provider or controller for each event of one name that this process's worker emits. A method may
 * have several.
 *
 * Jobs do not wait for the method. Its errors are logged and affect no job. Its provider must have the default scope.
 *
 * @example
 * @OnQueueEvent('failed', sendEmail)
 * onFailed({ job, error }: QueueEvent<'failed'>) {
 *   this.alerts.send(`${job.name} ${job.id}: ${error.message}`);
 * }
 *
 * @param event such as `'failed'`: see `WorkerEvents`.
 * @param only a job definition, or `{ queue: 'mail' }`. `'drained'` belongs to a queue: the queue of the definition.
 * @param options the data source, if it is not the default one.
 * @throws InvalidOptionError for an unknown event, or a filter that is no definition.
 * @throws UnknownOptionError, InvalidNameError for a wrong filter or option.
 * @throws UnsupportedListenerError for a class, an accessor, or a static or symbol-named method, and without the
 *   compiler option `experimentalDecorators`.
 */
export function OnQueueEvent<Name extends QueueEventName>(
  event: Name,
  only?: QueueEventFilter,
  options: QueueListenerOptions = {},
): ListenerDecorator<Name> {
  return (...[target, property, descriptor]: DecoratorArguments): void => {
    const source = sourceOf(target, property);
    if (isStandardContext(property)) {
      throw new UnsupportedListenerError(source, 'standard decorator');
    }
    if (typeof target === 'function' || typeof property !== 'string' || typeof descriptor?.value !== 'function') {
      throw new UnsupportedListenerError(source, 'not a method');
    }
    assertQueueEventName(`@OnQueueEvent of ${source}`, event);
    assertKnownOptions(options, ['dataSource'], `@OnQueueEvent of ${source}.`);
    const dataSource = resolveDataSourceName(`@OnQueueEvent of ${source}.dataSource`, options.dataSource);
    const metadata: QueueListenerMetadata = {
      event,
      dataSource,
      isWanted: filterOf(only, `@OnQueueEvent of ${source}`),
      queue: isQueueFilter(only) ? only.queue : undefined,
    };
    addMethodMetadata(QUEUE_LISTENER_METADATA, metadata, target, property);
    declareMethod(target, `${property} listens to "${event}"`);
  };
}

function filterOf(only: unknown, source: string): (event: QueueEvent) => boolean {
  if (only === undefined) {
    return () => true;
  }
  if (isQueueFilter(only)) {
    assertKnownOptions(only, ['queue'], `${source}.`);
    assertQueueName(only.queue);
    return ({ queue }) => queue === only.queue;
  }
  assertJobDefinition(source, only);
  return (event) => ('job' in event ? event.job.name === only.name : event.queue === only.queue);
}

function isQueueFilter(only: unknown): only is { readonly queue: unknown } {
  return typeof only === 'object' && only !== null && 'queue' in only && !('name' in only);
}
