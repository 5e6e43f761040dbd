import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { logError } from '@tablequeue/typeorm/internal';

import { ApplicationQueues } from '../application-queues.js';
import type { QueueListenerMetadata } from '../decorators/on-queue-event.decorator.js';
import { UnsupportedListenerError } from '../errors/index.js';
import { type ScannedMethod, scanMethods } from './method-scan.js';
import { RESOLVED_OPTIONS } from '../queue-worker.host.js';
import type { ResolvedModuleOptions } from '../table-queue-options.js';
import { QUEUE_LISTENER_METADATA } from '../table-queue.constants.js';
import { EventHub } from './event-hub.js';

/** Lets the methods listen that `@OnQueueEvent` makes listeners of the module's queue. */
@Injectable()
export class QueueListeners {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly hub: EventHub,
    private readonly queues: ApplicationQueues,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
  ) {}

  /** @throws UnsupportedListenerError, MissingModuleError */
  listen(): void {
    for (const scanned of scanMethods(this.discovery, this.scanner)) {
      const metadata = this.reflector.get<QueueListenerMetadata[] | undefined>(QUEUE_LISTENER_METADATA, scanned.method);
      metadata?.forEach((each) => this.listenBy(scanned, each));
    }
  }

  private listenBy(
    { wrapper, name, place }: ScannedMethod,
    { event, dataSource, isWanted }: QueueListenerMetadata,
  ): void {
    if (!this.queues.has(dataSource, `The listener ${place}`)) {
      return;
    }
    if (!wrapper.isDependencyTreeStatic()) {
      throw new UnsupportedListenerError(place, 'scoped');
    }
    const instance = wrapper.instance as Readonly<Record<string, (told: unknown) => unknown>>;
    const tell = async (told: unknown): Promise<void> => {
      try {
        await instance[name]?.(told);
      } catch (error) {
        logError(this.options.logger, `The listener ${place} of "${event}" failed`, error);
      }
    };
    this.hub.listen(event, (told) => (isWanted(told) ? tell(told) : undefined));
  }
}
