import type { InjectionToken } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

/**
 * Sets when Nest calls the hooks of the modules with this provider: the smaller the distance, the later at the start
 * and the earlier at the stop. Nest 10 calls them at the stop in the order of the start. Call this before the hooks
 * run: from a constructor.
 *
 * Nest calls the hooks of the modules furthest from the root first, and a global module's before all others. A queue in
 * a global module would run jobs before the application is ready, and after other modules have closed what its handlers
 * use. Nest has no event for the end of the last hook.
 */
export function setHookDistance(modules: ModulesContainer, provider: InjectionToken, distance: number): void {
  for (const module of modules.values()) {
    if (module.providers.has(provider)) {
      module.distance = distance;
    }
  }
}
