import type { InjectionToken } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

/** Nearer to the root than the root module itself, which has 0. */
const LAST = -1;

/**
 * Makes Nest call the hooks of the modules with this provider last at the start and first at the stop. Call it before
 * the hooks run: from a constructor.
 *
 * Nest calls the hooks of the modules furthest from the root first, a global module's before all others, and in the
 * opposite order at the stop. A queue in a global module would run jobs before the application is ready, and after
 * other modules have closed what its handlers use. Nest has no event for the end of the last hook.
 */
export function startLastStopFirst(modules: ModulesContainer, provider: InjectionToken): void {
  for (const module of modules.values()) {
    if (module.providers.has(provider)) {
      module.distance = LAST;
    }
  }
}
