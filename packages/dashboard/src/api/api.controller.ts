import { Get, Post, Put, Req, Res, type Type, UseFilters } from '@nestjs/common';

import { DashboardController } from '../http/dashboard-controller.decorator.js';
import type { PlatformRequest, PlatformResponse } from '../http/platform-http.js';
import type { ResolvedExtras } from '../options/dashboard.extras.js';
import { ROUTES } from '../routes/index.js';
import { ApiRunner } from './api.runner.js';
import { flagAsApi } from './platform-errors.js';
import { ProblemFilter } from './problem.filter.js';
import type { Route } from './route.js';

const DECORATORS = { GET: Get, POST: Post, PUT: Put };

/**
 * Makes the controller of the API. Each route is a method, so that guards and interceptors of the application can
 * distinguish them by name.
 */
export function createApiController(extras: ResolvedExtras): Type {
  @DashboardController(extras, 'api')
  @UseFilters(ProblemFilter)
  class DashboardApiController {
    constructor(readonly runner: ApiRunner) {}
  }
  for (const route of ROUTES) {
    addMethod(DashboardApiController, route);
  }
  return DashboardApiController;
}

function addMethod({ prototype }: Type, route: Route): void {
  const { name, method, path } = route;
  const run = function (this: { runner: ApiRunner }, request: PlatformRequest, response: PlatformResponse) {
    return this.runner.run(route, request, response);
  };
  Object.defineProperty(run, 'name', { value: name });
  flagAsApi(run);
  Object.defineProperty(prototype, name, { value: run, configurable: true, writable: true });
  DECORATORS[method](path)(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor);
  Req()(prototype, name, 0);
  Res()(prototype, name, 1);
}
