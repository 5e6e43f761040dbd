import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { logError } from '@tablequeue/typeorm/internal';

import { ApplicationQueues } from '../lifecycle/application-queue.registry.js';
import type { QueueListenerMetadata } from '../decorators/on-queue-event.decorator.js';
import { UnsupportedListenerError } from '../errors/index.js';
import type { HandlerHost } from '../handlers/handler.host.js';
import { handlerHosts } from '../handlers/handler-host.finder.js';
import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { QUEUE_LISTENER_METADATA, RESOLVED_OPTIONS } from '../table-queue.constants.js';
import { QueueEventHub } from './queue-event.hub.js';

type Method = (...args: unknown[]) => unknown;

/** Registers the methods with `@OnQueueEvent` as listeners of the module's queue. */
@Injectable()
export class QueueListeners {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly hub: QueueEventHub,
    private readonly queues: ApplicationQueues,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
  ) {}

  /** @throws UnsupportedListenerError, MissingModuleError */
  listen(): void {
    for (const host of handlerHosts(this.discovery)) {
      const prototype = host.prototype as Readonly<Record<string, Method>>;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const method = prototype[name] as Method;
        const metadata = this.reflector.get<QueueListenerMetadata[] | undefined>(QUEUE_LISTENER_METADATA, method);
        metadata?.forEach((each) => this.listenBy(host, name, each));
      }
    }
  }

  private listenBy(host: HandlerHost, name: string, { event, dataSource, isWanted }: QueueListenerMetadata): void {
    const source = host.sourceOf(name);
    if (!this.queues.has(dataSource, `The listener ${source}`)) {
      return;
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
  }
}
