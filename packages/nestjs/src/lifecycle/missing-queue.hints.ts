import { Logger, type Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { TableQueue } from '@tablequeue/typeorm';

import { dependenciesOf } from './provider.dependencies.js';
import { MissingModuleError } from '../errors/index.js';
import { QUEUE_SERVICES } from '../services/queue.services.js';
import { dataSourceOfToken } from '../table-queue.tokens.js';

const PROVIDED: readonly Type[] = [TableQueue, ...(QUEUE_SERVICES as readonly unknown[] as Type[])];

/** A provider or controller, and a token that it injects. */
interface Injection {
  readonly who: string;
  readonly token: unknown;
}

/**
 * Logs an error for each injected queue whose data source has none. Nest refuses to start such an application, but its
 * error shows only the token. This one also names the data sources that have a queue. It is logged, because Nest
 * resolves all tokens before it creates the first provider.
 */
export function logMissingQueues(modules: ModulesContainer, dataSources: readonly string[]): void {
  const provided = new Set<unknown>([...modules.values()].flatMap(({ providers }) => [...providers.keys()]));
  for (const { who, token } of injectionsOf(modules)) {
    const dataSource = dataSourceOfToken(token, PROVIDED);
    if (dataSource !== undefined && !provided.has(token)) {
      new Logger('TableQueue').error(new MissingModuleError(who, dataSource, dataSources).message);
    }
  }
}

function injectionsOf(modules: ModulesContainer): Injection[] {
  return [...modules.values()].flatMap(({ name, providers, controllers, injectables }) =>
    [...providers.values(), ...controllers.values(), ...injectables.values()].flatMap((wrapper) =>
      // String: a token that is a symbol is the name, too.
      dependenciesOf(wrapper).map((token) => ({ who: `${String(wrapper.name)} (${name})`, token })),
    ),
  );
}
