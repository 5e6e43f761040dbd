import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { HandlerFunction, JobHandler } from '@tablequeue/typeorm';

import type { QueueHandlerMetadata } from './decorators/queue-handler.decorator.js';
import { UnsupportedHandlerScopeError } from './errors/index.js';
import { QUEUE_HANDLER_METADATA } from './table-queue.constants.js';

type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];
type Methods = Readonly<Record<string, HandlerFunction<unknown>>>;

/** Finds the methods that are decorated with `@QueueHandler`, in all providers and controllers of the application. */
@Injectable()
export class QueueExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** @throws UnsupportedHandlerScopeError */
  explore(): JobHandler[] {
    return [...this.discovery.getProviders(), ...this.discovery.getControllers()]
      .filter(({ isAlias }) => !isAlias)
      .flatMap((wrapper) => this.handlersOf(wrapper));
  }

  private handlersOf(wrapper: ProviderWrapper): JobHandler[] {
    const prototype = prototypeOf(wrapper);
    if (!prototype) {
      return [];
    }
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const method = (prototype as Methods)[name];
      const metadata = method && this.reflector.get<QueueHandlerMetadata>(QUEUE_HANDLER_METADATA, method);
      if (!metadata) {
        return [];
      }
      const place = `${wrapper.name}.${name} (${wrapper.host?.name ?? 'unknown module'})`;
      if (!wrapper.isDependencyTreeStatic()) {
        throw new UnsupportedHandlerScopeError(place);
      }
      const instance = wrapper.instance as Methods;
      const handle: HandlerFunction<unknown> = (payload, job) => instance[name]?.(payload, job);
      return [{ ...metadata, handle, place }];
    });
  }
}

/** Where the methods are. A provider made by a factory has a class only through its instance; a scoped one only without. */
function prototypeOf(wrapper: ProviderWrapper): object | undefined {
  if (!wrapper.isDependencyTreeStatic()) {
    return (wrapper.metatype?.prototype as object | undefined) ?? undefined;
  }
  const instance = wrapper.instance as unknown;
  return typeof instance === 'object' && instance !== null
    ? ((Object.getPrototypeOf(instance) as object | null) ?? undefined)
    : undefined;
}
