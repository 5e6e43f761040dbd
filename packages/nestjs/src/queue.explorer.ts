import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { AnyJobDefinition, JobHandler, ScheduleOptions } from '@tablequeue/typeorm';

import type { QueueHandlerMetadata } from './decorators/queue-handler.decorator.js';
import type { RecurringMetadata } from './decorators/recurring.decorator.js';
import { MissingQueueHandlerError, UnsupportedHandlerScopeError } from './errors/index.js';
import { type ScannedMethod, scanMethods } from './method-scan.js';
import { QUEUE_HANDLER_METADATA, RECURRING_METADATA } from './table-queue.constants.js';

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

/** Finds the methods that are decorated with `@QueueHandler`, in all providers and controllers of the application. */
@Injectable()
export class QueueExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** @throws UnsupportedHandlerScopeError, MissingQueueHandlerError */
  explore(): Explored {
    const found = scanMethods(this.discovery, this.scanner).flatMap((scanned) => this.handlersOf(scanned));
    return {
      handlers: found.map(({ handler }) => handler),
      schedules: found.flatMap(({ handler, recurring }) => recurring.map((metadata) => scheduleOf(handler, metadata))),
    };
  }

  private handlersOf({ wrapper, name, method, place }: ScannedMethod): DecoratedMethod[] {
    const metadata = this.reflector.get<QueueHandlerMetadata | undefined>(QUEUE_HANDLER_METADATA, method);
    const recurring = this.reflector.get<RecurringMetadata[] | undefined>(RECURRING_METADATA, method);
    if (!metadata && !recurring) {
      return [];
    }
    if (!metadata) {
      throw new MissingQueueHandlerError(place);
    }
    if (!wrapper.isDependencyTreeStatic()) {
      throw new UnsupportedHandlerScopeError(place);
    }
    const instance = wrapper.instance as Methods;
    const handle = (...args: unknown[]) => instance[name]?.(...args);
    return [{ handler: { ...metadata, handle, place } as JobHandler, recurring: recurring ?? [] }];
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
