import type { Logger } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';

import { takeUnlistedClasses } from '../handlers/declared.classes.js';
import { handlerHosts } from '../handlers/handler-host.finder.js';

/**
 * Warns of classes with handlers or listeners that no module lists: Nest never creates them, and their jobs wait. Only
 * a warning: another process may run them.
 */
export function warnOfUnlistedClasses(discovery: DiscoveryService, logger: Logger): void {
  const listed = handlerHosts(discovery).map(({ prototype }) => prototype);
  for (const { name, methods } of takeUnlistedClasses(listed)) {
    logger.warn(
      `The class ${name} is not in "providers" or "controllers" of any module, so this process never calls its ` +
        `methods: ${methods.join(', ')}. List it in "providers" of a module that your root module imports.`,
    );
  }
}
