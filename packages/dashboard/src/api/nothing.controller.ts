import { Delete, Get, Patch, Post, Put, Req, type Type, UseFilters } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';

import { behindGuards } from '../behind-guards.js';
import type { ResolvedExtras } from '../dashboard-extras.js';
import { pathBelow } from '../page-files/base-path.js';
import { routeAllBelow } from '../route-all-below.js';
import { ApiProblem } from './api-problem.js';
import type { PlatformRequest } from './exchange.js';
import { markAsApi } from './platform-refusals.js';
import { ProblemFilter } from './problem.filter.js';

/** Not all that there are: Fastify would know the rarer ones everywhere else in the application then. */
const VERBS = { get: Get, post: Post, put: Put, patch: Patch, delete: Delete };

/** Says of what no other route below the API's path answers that there is no such thing. It comes behind them. */
export function nothingController(extras: ResolvedExtras): Type {
  class DashboardNothingController {}
  for (const name of Object.keys(VERBS)) {
    const answer = (request: PlatformRequest): never => {
      throw new ApiProblem('not-found', `There is no ${request.method} of "${pathBelow(request)}" here.`);
    };
    markAsApi(answer);
    Object.defineProperty(DashboardNothingController.prototype, name, { value: answer, configurable: true });
    Req()(DashboardNothingController.prototype, name, 0);
  }
  UseFilters(ProblemFilter)(DashboardNothingController);
  return behindGuards(DashboardNothingController, extras, 'api');
}

/** Gives it the paths and methods that it has. */
export function routeNothing(controller: Type, { httpAdapter }: HttpAdapterHost): void {
  routeAllBelow(controller, VERBS, httpAdapter);
}
