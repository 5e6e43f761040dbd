import type { Get, Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';

/** What stands for the rest of a path: Fastify's router and Express' do not understand one another. */
const REST: Readonly<Record<string, string>> = { express: '{*path}', fastify: '*' };

/**
 * Gives methods of a controller its path and all below. When the platform is known: before the routes are made, and long
 * after the controllers are declared.
 *
 * @param verbs by the names of the methods.
 */
export function routeAllBelow(
  { prototype }: Type,
  verbs: Readonly<Record<string, typeof Get>>,
  adapter: AbstractHttpAdapter,
): void {
  for (const [name, verb] of Object.entries(verbs)) {
    const method = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    verb(['', REST[adapter.getType()] ?? '*'])(prototype, name, method);
  }
}
