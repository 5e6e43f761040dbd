import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AnyJobDefinition } from '@tablequeue/typeorm';
import { assertJobDefinition, assertKnownOptions, assertQueueName } from '@tablequeue/typeorm/internal';

import { resolveDataSourceName } from '../options/data-source.name.js';
import { UnsupportedListenerError } from '../errors/index.js';
import type { QueueEvent, QueueEventName } from '../events/queue-event.types.js';
import { assertQueueEventName } from '../events/queue.events.js';
import { QUEUE_LISTENER_METADATA } from '../table-queue.constants.js';
import { sourceOf } from './decorator.source.js';

/** Which events a listener gets: those of the jobs of one definition, or of one queue. */
export type QueueEventFilter = AnyJobDefinition | { readonly queue: string };

/** Which queue a listener listens to. */
export interface QueueListenerOptions {
  /** The name of the data source whose worker tells. Default: the default data source. */
  readonly dataSource?: string;
}

/** What the decorator leaves on a method, for each time it stands there. */
export interface QueueListenerMetadata {
  readonly event: QueueEventName;
  /** The name of the data source whose queue it listens to. */
  readonly dataSource: string;
  readonly isWanted: (event: QueueEvent) => boolean;
}

type ListenerDecorator<Name extends QueueEventName> = <Method extends (event: QueueEvent<Name>) => unknown>(
  target: object,
  property: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Calls a method of a provider, or of a controller, for each event of a name that the worker of this process tells. May
 * stand on a method more than once.
 *
 * Nobody waits for the method, and what it throws, or rejects with, is logged and touches no job. Its provider must have
 * the default scope.
 *
 * @param event such as `'failed'`: see `WorkerEvents`.
 * @param only a job definition, or `{ queue: 'mail' }`. `'drained'` belongs to a queue: that of the definition.
 * @param options which data source, where it is not the default one.
 * @throws InvalidOptionError for what is no event or no definition; UnknownOptionError, InvalidNameError for a wrong
 *   filter; UnsupportedListenerError for a static or symbol-named method.
 */
export function OnQueueEvent<Name extends QueueEventName>(
  event: Name,
  only?: QueueEventFilter,
  options: QueueListenerOptions = {},
): ListenerDecorator<Name> {
  return (target, property, descriptor): void => {
    const place = sourceOf(target, property);
    if (typeof target === 'function' || typeof property === 'symbol') {
      throw new UnsupportedListenerError(place, 'static or symbol');
    }
    assertQueueEventName(`@OnQueueEvent of ${place}`, event);
    assertKnownOptions(options, ['dataSource'], `@OnQueueEvent of ${place}.`);
    const dataSource = resolveDataSourceName(`@OnQueueEvent of ${place}.dataSource`, options.dataSource);
    const metadata: QueueListenerMetadata = {
      event,
      dataSource,
      isWanted: filterOf(only, `@OnQueueEvent of ${place}`),
    };
    const method = descriptor.value as (...told: unknown[]) => unknown;
    const others = new Reflector().get<QueueListenerMetadata[] | undefined>(QUEUE_LISTENER_METADATA, method) ?? [];
    SetMetadata(QUEUE_LISTENER_METADATA, [metadata, ...others])(target, property, descriptor as PropertyDescriptor);
  };
}

function filterOf(only: unknown, place: string): (event: QueueEvent) => boolean {
  if (only === undefined) {
    return () => true;
  }
  if (isQueueFilter(only)) {
    assertKnownOptions(only, ['queue'], `${place}.`);
    assertQueueName(only.queue);
    return ({ queue }) => queue === only.queue;
  }
  assertJobDefinition(place, only);
  return (event) => ('job' in event ? event.job.name === only.name : event.queue === only.queue);
}

function isQueueFilter(only: unknown): only is { readonly queue: unknown } {
  return typeof only === 'object' && only !== null && 'queue' in only && !('name' in only);
}
