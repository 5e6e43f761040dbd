import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { AnyJobDefinition, JobHandler, ScheduleOptions } from '@tablequeue/typeorm';

import { ApplicationQueues } from './application-queues.js';
import type { QueueHandlerMetadata } from './decorators/queue-handler.decorator.js';
import type { RecurringMetadata } from './decorators/recurring.decorator.js';
import { MissingQueueHandlerError, UnsupportedHandlerScopeError } from './errors/index.js';
import { QUEUE_HANDLER_METADATA, RECURRING_METADATA } from './table-queue.constants.js';

type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];
type Methods = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** A schedule that is defined by `@Recurring`. */
export interface CodeSchedule {
  readonly name: string;
  readonly definition: AnyJobDefinition;
  readonly payload: unknown;
  readonly options: ScheduleOptions;
  /** Where the decorator stands, for error texts. */
  readonly place: string;
}

/** What the decorators of the application say. */
export interface Explored {
  readonly handlers: readonly JobHandler[];
  readonly schedules: readonly CodeSchedule[];
}

/** Finds the methods that `@QueueHandler` makes handlers of the module's queue, in all providers and controllers of the application. */
@Injectable()
export class QueueExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly queues: ApplicationQueues,
  ) {}

  /** @throws UnsupportedHandlerScopeError, MissingQueueHandlerError, MissingModuleError */
  explore(): Explored {
    const found = [...this.discovery.getProviders(), ...this.discovery.getControllers()]
      .filter(({ isAlias }) => !isAlias)
      .flatMap((wrapper) => this.handlersOf(wrapper));
    return {
      handlers: found.map(({ handler }) => handler),
      schedules: found.flatMap(({ handler, recurring }) => recurring.map((metadata) => scheduleOf(handler, metadata))),
    };
  }

  private handlersOf(wrapper: ProviderWrapper): DecoratedMethod[] {
    const prototype = prototypeOf(wrapper);
    if (!prototype) {
      return [];
    }
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const method = (prototype as Methods)[name];
      const metadata = method && this.reflector.get<QueueHandlerMetadata | undefined>(QUEUE_HANDLER_METADATA, method);
      const recurring = method && this.reflector.get<RecurringMetadata[] | undefined>(RECURRING_METADATA, method);
      if (!metadata && !recurring) {
        return [];
      }
      const place = `${wrapper.name}.${name} (${wrapper.host?.name ?? 'unknown module'})`;
      if (!metadata) {
        throw new MissingQueueHandlerError(place);
      }
      if (!this.queues.has(metadata.dataSource, place)) {
        return [];
      }
      if (!wrapper.isDependencyTreeStatic()) {
        throw new UnsupportedHandlerScopeError(place);
      }
      const instance = wrapper.instance as Methods;
      const handle = (...args: unknown[]) => instance[name]?.(...args);
      return [{ handler: { ...metadata, handle, place } as JobHandler, recurring: recurring ?? [] }];
    });
  }
}

interface DecoratedMethod {
  readonly handler: JobHandler;
  readonly recurring: readonly RecurringMetadata[];
}

function scheduleOf({ definition, place }: JobHandler, { name, options }: RecurringMetadata): CodeSchedule {
  const { payload, ...rest } = options;
  return { name: name ?? definition.name, definition, payload, options: rest, place };
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
