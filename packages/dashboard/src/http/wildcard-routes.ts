import type { Get, Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';

/** The wildcard for the rest of a path. The routers of Express and Fastify use different ones. */
const WILDCARDS: Readonly<Record<string, string>> = { express: '{*path}', fastify: '*' };

/**
 * Routes the path of a controller, and all paths below it, to its methods. Call it when the platform is known and
 * before Nest registers the routes, which is long after the classes are declared.
 *
 * @param decorators the decorator of each method, by the name of the method.
 */
export function addWildcardRoutes(
  { prototype }: Type,
  decorators: Readonly<Record<string, typeof Get>>,
  adapter: AbstractHttpAdapter,
): void {
  for (const [name, decorator] of Object.entries(decorators)) {
    const method = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    decorator(['', WILDCARDS[adapter.getType()] ?? '*'])(prototype, name, method);
  }
}
