import type { InjectionToken } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

/** Nearer to the root than the root module itself, which has 0. */
const LAST = -1;

/**
 * Lets the hooks of the modules that have a provider be called last when the application starts, and first when it
 * stops. To be called before the hooks are: from a constructor.
 *
 * Nest calls the hooks module after module, those furthest from the root first, and a global module before all others;
 * when it stops the other way round. So a queue in a global module would run jobs while the application still gets
 * ready, and let others close what jobs work with before they have ended. Nest has nothing that tells when the last hook
 * is through: see docs/decisions.md.
 */
export function startLastStopFirst(modules: ModulesContainer, provider: InjectionToken): void {
  for (const module of modules.values()) {
    if (module.providers.has(provider)) {
      module.distance = LAST;
    }
  }
}
