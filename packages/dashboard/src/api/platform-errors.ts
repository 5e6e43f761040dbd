import type { AbstractHttpAdapter } from '@nestjs/core';

import type { PlatformResponse } from '../http/platform-http.js';
import { isExpress4 } from '../http/wildcard-routes.js';
import { sendError } from './problem.filter.js';
import { platformErrorToProblem } from './to-problem.js';

/** Nest passes this metadata of a method to Fastify as the configuration of its route. */
const ROUTE_CONFIG = '__fastify_route_config__';
const IS_API = 'isTablequeueApi';

/** The used members of both platforms. Nest's filters do not run for errors before a route is found. */
interface Fastify {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
}
interface FastifyRoute {
  readonly config?: Readonly<Record<string, unknown>>;
  errorHandler?: (error: unknown, request: object, response: PlatformResponse) => void;
}
interface Express {
  readonly router: Router;
  /** In Express 4, where `router` throws. */
  readonly _router: Router;
  use(
    path: string,
    handler: (error: unknown, request: object, response: PlatformResponse, next: unknown) => void,
  ): void;
}

interface Router {
  readonly stack: readonly { readonly route?: { readonly path: unknown } }[];
}

/** Flags a method of a controller as a route of the API. */
export function flagAsApi(method: object): void {
  Reflect.defineMetadata(ROUTE_CONFIG, { [IS_API]: true }, method);
}

/**
 * Makes Fastify respond with problems to its own errors on the API's routes: a body that is not JSON, or too large.
 * Call it before routes are registered.
 */
export function handleErrorsOfFastify(adapter: AbstractHttpAdapter): void {
  adapter.getInstance<Fastify>().addHook('onRoute', (route) => {
    if (route.config?.[IS_API]) {
      route.errorHandler = (error, _request, response) =>
        sendError(adapter, response, error, platformErrorToProblem(error));
    }
  });
}

/**
 * Does the same for Express, which parses bodies before it finds a route. Call it after routes are registered, and
 * before Nest adds the error handlers of the application.
 *
 * @param api the path of the API without the global prefix of the application. Only the registered routes contain that.
 */
export function handleErrorsOfExpress(adapter: AbstractHttpAdapter, api: string): void {
  const instance = adapter.getInstance<Express>();
  const { stack } = isExpress4(adapter) ? instance._router : instance.router;
  const paths = stack.map(({ route }) => route?.path);
  for (const path of paths) {
    if (typeof path === 'string' && path.endsWith(`/${api}/openapi.json`)) {
      const mount = path.slice(0, -'/openapi.json'.length);
      // Express recognizes an error handler by its four parameters.
      instance.use(mount, (error, _request, response, _next) =>
        sendError(adapter, response, error, platformErrorToProblem(error)),
      );
    }
  }
}
