import type { AbstractHttpAdapter } from '@nestjs/core';

import { answerError } from './answer-error.js';
import type { PlatformResponse } from './exchange.js';
import { refusalToProblem } from './to-problem.js';

/** What marks the API's routes among all of a Fastify application: Nest hands out this metadata as their configuration. */
const ROUTE_CONFIG = '__fastify_route_config__';
const MARK = 'isTablequeueApi';

/** As much of either platform as is used here: Nest knows no filter for what is refused before there is a route. */
interface Fastify {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
}
interface FastifyRoute {
  readonly config?: Readonly<Record<string, unknown>>;
  errorHandler?: (error: unknown, request: object, response: PlatformResponse) => void;
}
interface Express {
  readonly router: { readonly stack: readonly { readonly route?: { readonly path: unknown } }[] };
  use(
    path: string,
    handler: (error: unknown, request: object, response: PlatformResponse, next: unknown) => void,
  ): void;
}

/** Marks a method of a controller as a route of the API. */
export function markAsApi(method: object): void {
  Reflect.defineMetadata(ROUTE_CONFIG, { [MARK]: true }, method);
}

/**
 * Has Fastify answer a request that it refuses itself as a problem: one with a body that is no JSON, or too large. To be
 * called before there are routes.
 */
export function answerRefusalsOfFastify(adapter: AbstractHttpAdapter): void {
  adapter.getInstance<Fastify>().addHook('onRoute', (route) => {
    if (route.config?.[MARK]) {
      route.errorHandler = (error, _request, response) =>
        answerError(adapter, response, error, refusalToProblem(error));
    }
  });
}

/**
 * The same of Express, which reads bodies before it looks for a route. To be called when there are routes, and before Nest
 * adds what answers the errors of the whole application.
 *
 * @param api where the API is, below the application's global prefix. Only its routes know the prefix.
 */
export function answerRefusalsOfExpress(adapter: AbstractHttpAdapter, api: string): void {
  const instance = adapter.getInstance<Express>();
  const paths = instance.router.stack.map(({ route }) => route?.path);
  for (const path of paths) {
    if (typeof path === 'string' && path.endsWith(`/${api}/openapi.json`)) {
      const mount = path.slice(0, -'/openapi.json'.length);
      // Express knows by the number of parameters that it is for errors.
      instance.use(mount, (error, _request, response, _next) =>
        answerError(adapter, response, error, refusalToProblem(error)),
      );
    }
  }
}
