import { Inject, Injectable } from '@nestjs/common';
import { ApplicationConfig, DiscoveryService, ExternalContextCreator } from '@nestjs/core';
import type { AnyJobDefinition, JobHandler, ScheduleOptions } from '@tablequeue/typeorm';

import { ApplicationQueues } from './application-queues.js';
import type { RecurringMetadata } from './decorators/recurring.decorator.js';
import { UnknownJobDefinitionError } from './errors/index.js';
import type { DecoratedMethod } from './handlers/decorated-methods.js';
import { Enhancers } from './handlers/enhancers.js';
import { HandlerCalls } from './handlers/handler-calls.js';
import { HandlerHost } from './handlers/handler-host.js';
import { RESOLVED_OPTIONS } from './queue-worker.host.js';
import type { ResolvedModuleOptions } from './table-queue-options.js';

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
  private readonly enhancers: Enhancers;
  private readonly calls: HandlerCalls;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly queues: ApplicationQueues,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
    creator: ExternalContextCreator,
    config: ApplicationConfig,
  ) {
    this.enhancers = new Enhancers(config);
    this.calls = new HandlerCalls(creator, this.enhancers);
  }

  /**
   * @throws MissingQueueHandlerError, MissingModuleError, UndecoratedOverrideError, UnknownJobDefinitionError,
   *   UnreachableHandlerError
   */
  explore(): Explored {
    const found = this.hosts().flatMap((host) => {
      return host
        .methods()
        .filter(({ name, metadata }) => this.queues.has(metadata.dataSource, `The queue handler ${host.placeOf(name)}`))
        .map((method) => this.found(host, method));
    });
    if (found.length > 0) {
      this.tellOfGlobals();
    }
    return {
      handlers: found.map(({ handler }) => handler),
      schedules: found.flatMap(({ handler, recurring }) => recurring.map((metadata) => scheduleOf(handler, metadata))),
    };
  }

  /**
   * An object that is provided several times counts once: where its class is listed, rather than where a factory hands it
   * on, because there Nest makes what is bound to it.
   */
  private hosts(): readonly HandlerHost[] {
    const instances = new Set<unknown>();
    const isFirst = (host: HandlerHost) => {
      const isNew = host.isPerAttempt || !instances.has(host.instance);
      instances.add(host.instance);
      return isNew;
    };
    return [
      ...this.discovery.getProviders().map((wrapper) => HandlerHost.of(wrapper, false)),
      ...this.discovery.getControllers().map((wrapper) => HandlerHost.of(wrapper, true)),
    ]
      .filter((host) => host !== undefined)
      .sort((one, other) => Number(other.isListed) - Number(one.isListed))
      .filter(isFirst);
  }

  private found(host: HandlerHost, method: DecoratedMethod): Found {
    const place = host.placeOf(method.name);
    const { definition: given, ...metadata } = method.metadata;
    const definition = typeof given === 'string' ? this.definitionNamed(given, place) : given;
    const handle = this.calls.of(host, method, definition);
    return { handler: { ...metadata, definition, handle, place } as JobHandler, recurring: method.recurring };
  }

  private definitionNamed(name: string, place: string): AnyJobDefinition {
    const { definitions } = this.options;
    const definition = definitions.get(name);
    if (!definition) {
      throw new UnknownJobDefinitionError(name, place, [...definitions.keys()]);
    }
    return definition;
  }

  private tellOfGlobals(): void {
    const names = this.enhancers.globalNames();
    if (names.length > 0) {
      this.options.logger.log(
        `Global guards, interceptors, pipes and filters stand around jobs too: ${names.join(', ')}. ` +
          "They tell jobs by context.getType() === 'tablequeue'",
      );
    }
  }
}

interface Found {
  readonly handler: JobHandler;
  readonly recurring: readonly RecurringMetadata[];
}

function scheduleOf({ definition, place }: JobHandler, { name, options }: RecurringMetadata): CodeSchedule {
  const { payload, ...rest } = options;
  return { name: name ?? definition.name, definition, payload, options: rest, place };
}
