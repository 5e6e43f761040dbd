import type { Get, Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';

/** The wildcard for the rest of a path in Express 5. Express 4 and Fastify use `*`. */
const WILDCARD_OF_EXPRESS_5 = '{*path}';

/** Nest 10 has Express 4. */
export function isExpress4(adapter: AbstractHttpAdapter): boolean {
  return adapter.getType() === 'express' && 'lazyrouter' in adapter.getInstance<object>();
}

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
  const wildcard = adapter.getType() === 'express' && !isExpress4(adapter) ? WILDCARD_OF_EXPRESS_5 : '*';
  for (const [name, decorator] of Object.entries(decorators)) {
    const method = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    decorator(['', wildcard])(prototype, name, method);
  }
}
