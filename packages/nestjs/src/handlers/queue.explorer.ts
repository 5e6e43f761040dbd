import { Inject, Injectable } from '@nestjs/common';
import { ApplicationConfig, DiscoveryService, ExternalContextCreator, ModulesContainer } from '@nestjs/core';
import type { AnyJobDefinition, JobHandler, ScheduleOptions } from '@tablequeue/typeorm';

import { ApplicationQueues } from '../lifecycle/application-queue.registry.js';
import type { RecurringMetadata } from '../decorators/recurring.decorator.js';
import { UnknownJobDefinitionError } from '../errors/index.js';
import type { DecoratedMethod } from './decorated-method.scanner.js';
import { Enhancers } from './handler.enhancers.js';
import { HandlerCalls } from './handler.caller.js';
import type { HandlerHost } from './handler.host.js';
import { handlerHosts } from './handler-host.finder.js';
import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { RESOLVED_OPTIONS } from '../table-queue.constants.js';

/** A schedule that is defined by `@Recurring`. */
export interface CodeSchedule {
  readonly name: string;
  readonly definition: AnyJobDefinition;
  readonly payload: unknown;
  readonly options: ScheduleOptions;
  /** The decorated method in error messages. */
  readonly source: string;
}

/** The decorated handlers and schedules of the application. */
export interface Explored {
  readonly handlers: readonly JobHandler[];
  readonly schedules: readonly CodeSchedule[];
}

interface Found {
  readonly handler: JobHandler;
  readonly recurring: readonly RecurringMetadata[];
}

/**
 * Finds the methods with `@QueueHandler` for the module's queue in all providers and controllers of the application.
 */
@Injectable()
export class QueueExplorer {
  private readonly enhancers: Enhancers;
  private readonly calls: HandlerCalls;
  private explored: Explored | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly queues: ApplicationQueues,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
    creator: ExternalContextCreator,
    config: ApplicationConfig,
    modules: ModulesContainer,
  ) {
    this.enhancers = new Enhancers(config, creator, modules);
    this.calls = new HandlerCalls(creator, this.enhancers);
  }

  /**
   * Returns the handlers and schedules. Searches once.
   *
   * @throws MissingQueueHandlerError, MissingModuleError, UndecoratedOverrideError, UnknownJobDefinitionError,
   *   UnreachableHandlerError, UnsupportedHandlerMethodError
   */
  explore(): Explored {
    return (this.explored ??= this.findHandlers());
  }

  private findHandlers(): Explored {
    const found = handlerHosts(this.discovery).flatMap((host) =>
      host
        .methods()
        .filter(({ name, metadata }) =>
          this.queues.has(metadata.dataSource, `The queue handler ${host.sourceOf(name)}`),
        )
        .map((method) => this.found(host, method)),
    );
    if (found.length > 0) {
      this.logGlobalEnhancers();
    }
    return {
      handlers: found.map(({ handler }) => handler),
      schedules: found.flatMap(({ handler, recurring }) => recurring.map((metadata) => scheduleOf(handler, metadata))),
    };
  }

  private found(host: HandlerHost, method: DecoratedMethod): Found {
    const source = host.sourceOf(method.name);
    const { definition: given, ...metadata } = method.metadata;
    const definition = typeof given === 'string' ? this.definitionNamed(given, source) : given;
    const handle = this.calls.of(host, method, definition);
    return { handler: { ...metadata, definition, handle, source } as JobHandler, recurring: method.recurring };
  }

  private definitionNamed(name: string, source: string): AnyJobDefinition {
    const { definitions } = this.options;
    const definition = definitions.get(name);
    if (!definition) {
      throw new UnknownJobDefinitionError(name, source, [...definitions.keys()]);
    }
    return definition;
  }

  private logGlobalEnhancers(): void {
    const names = this.enhancers.globalNames();
    if (names.length > 0) {
      this.options.logger.log(
        `Global guards, interceptors, pipes and filters run around jobs too: ${names.join(', ')}. ` +
          "In them, context.getType() === 'tablequeue' identifies a job",
      );
    }
  }
}

function scheduleOf({ definition, source }: JobHandler, { name, options }: RecurringMetadata): CodeSchedule {
  const { payload, ...rest } = options;
  return { name: name ?? definition.name, definition, payload, options: rest, source };
}
