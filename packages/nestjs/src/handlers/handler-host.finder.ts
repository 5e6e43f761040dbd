import type { DiscoveryService } from '@nestjs/core';

import { HandlerHost } from './handler.host.js';

/**
 * All providers and controllers of the application. An object that is provided several times counts once. The module
 * that lists its class wins over one whose factory passes it on, because there Nest creates its enhancers.
 */
export function handlerHosts(discovery: DiscoveryService): readonly HandlerHost[] {
  const instances = new Set<unknown>();
  const isFirst = (host: HandlerHost) => {
    const isNew = host.isPerAttempt || !instances.has(host.instance);
    instances.add(host.instance);
    return isNew;
  };
  return [
    ...discovery.getProviders().map((wrapper) => HandlerHost.of(wrapper, false)),
    ...discovery.getControllers().map((wrapper) => HandlerHost.of(wrapper, true)),
  ]
    .filter((host) => host !== undefined)
    .sort((one, other) => Number(other.isListed) - Number(one.isListed))
    .filter(isFirst);
}
