import { Get, Post, Put, Req, Res, type Type, UseFilters } from '@nestjs/common';

import { behindGuards } from '../behind-guards.js';
import type { ResolvedExtras } from '../dashboard-extras.js';
import { ROUTES } from '../routes/index.js';
import { ApiRunner } from './api-runner.js';
import type { PlatformRequest, PlatformResponse } from './exchange.js';
import { ProblemFilter } from './problem.filter.js';
import { markAsApi } from './platform-refusals.js';
import type { Route } from './route.js';

const METHODS = { GET: Get, POST: Post, PUT: Put };

/** Has the routes as methods, so that guards and interceptors of the application find each by its name. */
export function apiController(extras: ResolvedExtras): Type {
  class DashboardApiController {
    constructor(readonly runner: ApiRunner) {}
  }
  Reflect.defineMetadata('design:paramtypes', [ApiRunner], DashboardApiController);
  for (const route of ROUTES) {
    addMethod(DashboardApiController, route);
  }
  UseFilters(ProblemFilter)(DashboardApiController);
  return behindGuards(DashboardApiController, extras, 'api');
}

function addMethod({ prototype }: Type, route: Route): void {
  const { name, method, path } = route;
  const run = function (this: { runner: ApiRunner }, request: PlatformRequest, response: PlatformResponse) {
    return this.runner.run(route, request, response);
  };
  Object.defineProperty(run, 'name', { value: name });
  markAsApi(run);
  Object.defineProperty(prototype, name, { value: run, configurable: true, writable: true });
  METHODS[method](path)(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor);
  Req()(prototype, name, 0);
  Res()(prototype, name, 1);
}
