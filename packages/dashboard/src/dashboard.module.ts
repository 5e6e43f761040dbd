import { type DynamicModule, Inject, Module, type NestModule, type OnModuleInit, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { InvalidOptionError } from '@tablequeue/typeorm';
import { assertKnownOptions } from '@tablequeue/typeorm/internal';

import { ApiRunner } from './api/api-runner.js';
import { routeNothing } from './api/nothing.controller.js';
import { answerRefusalsOfExpress, answerRefusalsOfFastify } from './api/platform-refusals.js';
import { EXTRAS, RESOLVED_EXTRAS, type ResolvedExtras } from './dashboard-extras.js';
import { type DashboardOptions, OPTIONS, resolveOptions } from './dashboard-options.js';
import { NOTHING_CONTROLLER, PAGES_CONTROLLER, RESOLVED_OPTIONS } from './dashboard.constants.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN,
  type OPTIONS_TYPE,
} from './dashboard.module-definition.js';
import { Databases } from './databases.js';
import { LiveStreams } from './live/live-streams.js';
import { PageFiles } from './page-files/page-files.js';
import { routePages } from './page-files/pages.controller.js';

const ASYNC_OPTIONS = ['useFactory', 'useClass', 'useExisting', 'inject', 'provideInjectionTokensFrom', ...EXTRAS];

/**
 * Pages and a REST API for the queues of a Nest application, below a path of it: look at queues and jobs, pause, retry,
 * cancel. Import it in the root module, beside `TableQueueModule`, behind guards of the application's own.
 *
 * Its routes are controllers like any other: the global prefix, global guards, interceptors and middleware apply, on
 * Express and on Fastify.
 */
@Module({
  providers: [
    {
      provide: RESOLVED_OPTIONS,
      useFactory: (options: DashboardOptions, extras: ResolvedExtras) => resolveOptions(options, extras.isPublic),
      inject: [MODULE_OPTIONS_TOKEN, RESOLVED_EXTRAS],
    },
    Databases,
    ApiRunner,
    LiveStreams,
    PageFiles,
  ],
})
export class DashboardModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(PAGES_CONTROLLER) private readonly pages: Type,
    @Inject(NOTHING_CONTROLLER) private readonly nothing: Type,
    @Inject(RESOLVED_EXTRAS) private readonly extras: ResolvedExtras,
  ) {
    super();
  }

  /** Nest calls it between two things: the platform is known, and there are no routes yet. */
  configure(): void {
    routePages(this.pages, this.host);
    routeNothing(this.nothing, this.host);
    if (this.host.httpAdapter.getType() === 'fastify') {
      answerRefusalsOfFastify(this.host.httpAdapter);
    }
  }

  /** Nest calls it when there are routes; also where there is no HTTP server. */
  onModuleInit(): void {
    if (this.host.httpAdapter?.getType() === 'express') {
      answerRefusalsOfExpress(this.host.httpAdapter, `${this.extras.path}/api`);
    }
  }

  /**
   * The dashboard, with its options.
   *
   * @throws MissingGuardError, InvalidOptionError, UnknownOptionError; UnknownDatabaseError and MissingPagesError when the
   *   application starts.
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    assertKnownOptions(options, [...OPTIONS, ...EXTRAS]);
    const own = Object.fromEntries(Object.entries(options).filter(([name]) => !EXTRAS.includes(name)));
    resolveOptions(own, true);
    return super.forRoot(options);
  }

  /**
   * The same with options from a factory: `useFactory`, `useClass` or `useExisting`. Beside it stands what the routes are
   * made of: `path`, `guards`, `public` and `imports`.
   *
   * @throws MissingGuardError, InvalidOptionError, UnknownOptionError. What is wrong in the factory's options stops the
   *   start.
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    const misplaced = Object.entries(options ?? {}).find(([name]) => OPTIONS.includes(name));
    if (misplaced) {
      throw new InvalidOptionError(...misplaced, 'returned by the factory of forRootAsync');
    }
    assertKnownOptions(options, ASYNC_OPTIONS);
    return super.forRootAsync(options);
  }
}
