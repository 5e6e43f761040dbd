import { type DynamicModule, Inject, Module, type NestModule, type OnModuleInit, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { InvalidOptionError } from '@tablequeue/typeorm';
import { assertKnownOptions } from '@tablequeue/typeorm/internal';

import { ApiRunner } from './api/api.runner.js';
import { routeNotFoundController } from './api/not-found.controller.js';
import { handleErrorsOfExpress, handleErrorsOfFastify } from './api/platform-errors.js';
import { NOT_FOUND_CONTROLLER, PAGES_CONTROLLER, RESOLVED_EXTRAS, RESOLVED_OPTIONS } from './dashboard.constants.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN,
  type OPTIONS_TYPE,
} from './dashboard.module-definition.js';
import { DatabaseRegistry } from './databases/database.registry.js';
import { LiveStreams } from './live/live.streams.js';
import { EXTRAS, type ResolvedExtras } from './options/dashboard.extras.js';
import { type DashboardOptions, OPTIONS, resolveOptions } from './options/dashboard.options.js';
import { PageFiles } from './page-files/page.files.js';
import { routePagesController } from './page-files/pages.controller.js';

const ASYNC_OPTIONS = ['useFactory', 'useClass', 'useExisting', 'inject', 'provideInjectionTokensFrom', ...EXTRAS];

/**
 * Adds pages and a REST API for the queues of a Nest application, to watch queues and jobs, and to pause, retry and
 * cancel them. Import it in the root module beside `TableQueueModule`, with the guards of the application.
 *
 * Its routes are normal controllers: the global prefix, guards, interceptors and middleware of the application apply,
 * on Express and on Fastify.
 */
@Module({
  providers: [
    {
      provide: RESOLVED_OPTIONS,
      useFactory: (options: DashboardOptions, extras: ResolvedExtras) => resolveOptions(options, extras.isPublic),
      inject: [MODULE_OPTIONS_TOKEN, RESOLVED_EXTRAS],
    },
    DatabaseRegistry,
    ApiRunner,
    LiveStreams,
    PageFiles,
  ],
})
export class DashboardModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  /** @internal */
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(PAGES_CONTROLLER) private readonly pages: Type,
    @Inject(NOT_FOUND_CONTROLLER) private readonly notFound: Type,
    @Inject(RESOLVED_EXTRAS) private readonly extras: ResolvedExtras,
  ) {
    super();
  }

  /** Called by Nest when the platform is known, before it registers routes. */
  configure(): void {
    routePagesController(this.pages, this.host);
    routeNotFoundController(this.notFound, this.host);
    if (this.host.httpAdapter.getType() === 'fastify') {
      handleErrorsOfFastify(this.host.httpAdapter);
    }
  }

  /** Called by Nest after it registered routes, also in an application without an HTTP server. */
  onModuleInit(): void {
    if (this.host.httpAdapter?.getType() === 'express') {
      handleErrorsOfExpress(this.host.httpAdapter, `${this.extras.path}/api`);
    }
  }

  /**
   * Adds the dashboard with these options.
   *
   * @throws MissingGuardError without `guards` and `public`; InvalidOptionError for an invalid value;
   *   UnknownOptionError for an unknown name. The start fails with UnknownDatabaseError if a data source has no queue,
   *   and with MissingPagesError if the files of the pages are missing.
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    assertKnownOptions(options, [...OPTIONS, ...EXTRAS]);
    const own = Object.fromEntries(Object.entries(options).filter(([name]) => !EXTRAS.includes(name)));
    resolveOptions(own, true);
    return super.forRoot(options);
  }

  /**
   * Adds the dashboard with options from `useFactory`, `useClass` or `useExisting`. Pass `path`, `guards`, `public` and
   * `imports` beside the factory, because the routes depend on them.
   *
   * @throws MissingGuardError, InvalidOptionError and UnknownOptionError as `forRoot`. The start fails if the options
   *   of the factory are invalid.
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
