import { Delete, Get, Patch, Post, Put, Req, type Type, UseFilters } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';

import { DashboardController } from '../http/dashboard-controller.decorator.js';
import type { PlatformRequest } from '../http/platform-http.js';
import { addWildcardRoutes } from '../http/wildcard-routes.js';
import type { ResolvedExtras } from '../options/dashboard.extras.js';
import { subpathOf } from '../page-files/base-path.js';
import { ApiProblem } from './api-problem.error.js';
import { flagAsApi } from './platform-errors.js';
import { ProblemFilter } from './problem.filter.js';

/** Not all methods: Fastify would then accept the rarer ones for every route of the application. */
const DECORATORS = { get: Get, post: Post, put: Put, patch: Patch, delete: Delete };

/** Makes the controller that responds with 404 to unknown paths below the API. Its routes come last. */
export function createNotFoundController(extras: ResolvedExtras): Type {
  @DashboardController(extras, 'api')
  @UseFilters(ProblemFilter)
  class DashboardNotFoundController {}
  for (const name of Object.keys(DECORATORS)) {
    const respond = (request: PlatformRequest): never => {
      throw new ApiProblem('not-found', `The API has no ${request.method} "${subpathOf(request)}".`);
    };
    flagAsApi(respond);
    Object.defineProperty(DashboardNotFoundController.prototype, name, { value: respond, configurable: true });
    Req()(DashboardNotFoundController.prototype, name, 0);
  }
  return DashboardNotFoundController;
}

export function routeNotFoundController(controller: Type, { httpAdapter }: HttpAdapterHost): void {
  addWildcardRoutes(controller, DECORATORS, httpAdapter);
}
