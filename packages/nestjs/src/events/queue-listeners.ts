import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { logError } from '@tablequeue/typeorm/internal';

import type { QueueListenerMetadata } from '../decorators/on-queue-event.decorator.js';
import { UnsupportedListenerError } from '../errors/index.js';
import { type ScannedMethod, scanMethods } from '../method-scan.js';
import { QUEUE_LISTENER_METADATA } from '../table-queue.constants.js';
import { EventHub } from './event-hub.js';

/** Lets the methods that are decorated with `@OnQueueEvent` listen. */
@Injectable()
export class QueueListeners {
  private readonly logger = new Logger('TableQueue');

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly hub: EventHub,
  ) {}

  /** @throws UnsupportedListenerError */
  listen(): void {
    for (const scanned of scanMethods(this.discovery, this.scanner)) {
      const metadata = this.reflector.get<QueueListenerMetadata[] | undefined>(QUEUE_LISTENER_METADATA, scanned.method);
      metadata?.forEach((each) => this.listenBy(scanned, each));
    }
  }

  private listenBy({ wrapper, name, place }: ScannedMethod, { event, isWanted }: QueueListenerMetadata): void {
    if (!wrapper.isDependencyTreeStatic()) {
      throw new UnsupportedListenerError(place, 'scoped');
    }
    const instance = wrapper.instance as Readonly<Record<string, (told: unknown) => unknown>>;
    const tell = async (told: unknown): Promise<void> => {
      try {
        await instance[name]?.(told);
      } catch (error) {
        logError(this.logger, `The listener ${place} of "${event}" failed`, error);
      }
    };
    this.hub.listen(event, (told) => (isWanted(told) ? tell(told) : undefined));
  }
}
