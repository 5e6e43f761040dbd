import { Logger, type Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { TableQueue } from '@tablequeue/typeorm';

import { dependenciesOf } from './dependencies-of.js';
import { MissingModuleError } from './errors/index.js';
import { QUEUE_SERVICES } from './queue.services.js';
import { dataSourceOfToken } from './table-queue.tokens.js';

const PROVIDED: readonly Type[] = [TableQueue, ...(QUEUE_SERVICES as readonly unknown[] as Type[])];

/**
 * Logs who injects the queue of a data source that has none. Nest refuses to start such an application, and its error
 * knows no more than the token: that another data source has a queue, and how that is injected, is said here. Throwing
 * would be in vain: Nest looks up all tokens before it makes the first provider.
 */
export function logMissingQueues(modules: ModulesContainer, dataSources: readonly string[]): void {
  const isProvided = (token: never) => [...modules.values()].some(({ providers }) => providers.has(token));
  for (const { name, providers, controllers, injectables } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values(), ...injectables.values()]) {
      for (const token of dependenciesOf(wrapper)) {
        const dataSource = dataSourceOfToken(token, PROVIDED);
        if (dataSource !== undefined && !dataSources.includes(dataSource) && !isProvided(token as never)) {
          new Logger('TableQueue').error(
            new MissingModuleError(`${wrapper.name} (${name})`, dataSource, dataSources).message,
          );
        }
      }
    }
  }
}
