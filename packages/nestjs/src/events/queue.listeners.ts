import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { logError } from '@tablequeue/typeorm/internal';

import { ApplicationQueues } from '../lifecycle/application-queue.registry.js';
import type { QueueListenerMetadata } from '../decorators/on-queue-event.decorator.js';
import { UndecoratedOverrideError, UnsupportedListenerError } from '../errors/index.js';
import {
  type DeclaredProperty,
  type Method,
  type ReachedProperty,
  reachedProperties,
} from '../handlers/declared.properties.js';
import type { HandlerHost } from '../handlers/handler.host.js';
import { handlerHosts } from '../handlers/handler-host.finder.js';
import { methodMetadata } from '../handlers/method.metadata.js';
import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { QUEUE_LISTENER_METADATA, RESOLVED_OPTIONS } from '../table-queue.constants.js';
import { QueueEventHub } from './queue-event.hub.js';

/** A listener to the events of one queue, which it names. */
export interface QueueListener {
  readonly queue: string;
  /** The method in texts. */
  readonly source: string;
}

/** Registers the methods with `@OnQueueEvent` as listeners of the module's queue. */
@Injectable()
export class QueueListeners {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly hub: QueueEventHub,
    private readonly queues: ApplicationQueues,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
  ) {}

  /**
   * @returns the listeners that name a queue.
   * @throws UnsupportedListenerError, UndecoratedOverrideError, MissingModuleError
   */
  listen(): readonly QueueListener[] {
    return handlerHosts(this.discovery).flatMap((host) =>
      reachedProperties(host.prototype).flatMap((property) =>
        listenersOf(property, host.sourceOf(property.name)).flatMap(
          (each) => this.listenBy(host, property.name, each) ?? [],
        ),
      ),
    );
  }

  private listenBy(host: HandlerHost, name: string, metadata: QueueListenerMetadata): QueueListener | undefined {
    const { event, dataSource, isWanted, queue } = metadata;
    const source = host.sourceOf(name);
    if (!this.queues.has(dataSource, `The listener ${source}`)) {
      return undefined;
    }
    if (host.isPerAttempt) {
      throw new UnsupportedListenerError(source, 'scoped');
    }
    const instance = host.instance as Readonly<Record<string, Method>>;
    const callListener = async (emitted: unknown): Promise<void> => {
      try {
        await instance[name]?.(emitted);
      } catch (error) {
        logError(this.options.logger, `The listener ${source} of "${event}" failed`, error);
      }
    };
    this.hub.listen(event, (emitted) => (isWanted(emitted) ? callListener(emitted) : undefined));
    return queue === undefined ? undefined : { queue, source };
  }
}

/**
 * The listeners of a method.
 *
 * @throws UnsupportedListenerError, UndecoratedOverrideError
 */
function listenersOf(property: ReachedProperty, source: string): readonly QueueListenerMetadata[] {
  const all = metadataOf(property);
  if (all.length > 0) {
    if (!property.method) {
      throw new UnsupportedListenerError(source, 'accessor');
    }
    return all;
  }
  const lost = property.overridden.find((each) => metadataOf(each).length > 0);
  if (lost) {
    throw new UndecoratedOverrideError(source, `${lost.owner.constructor.name}.${lost.name}`, '@OnQueueEvent');
  }
  return [];
}

function metadataOf({ owner, name }: DeclaredProperty): readonly QueueListenerMetadata[] {
  return methodMetadata(QUEUE_LISTENER_METADATA, owner, name) as readonly QueueListenerMetadata[];
}
