import type { InjectionToken, Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import { TableQueue } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import { ApplicationQueues } from './lifecycle/application-queue.registry.js';
import { QUEUE_SERVICES, SCHEDULED } from './services/queue.services.js';
import { StartingApplication } from './options/starting.application.js';
import { type ResolvedModuleExtras } from './options/table-queue.extras.js';
import type { ResolvedModuleOptions } from './options/table-queue.options.js';
import {
  ACCEPTED_ENTITIES,
  MODULE_EXTRAS,
  RESOLVED_OPTIONS,
  SCHEDULED_SERVICES,
  STARTING_APPLICATION,
  TABLE_QUEUE,
  TABLE_QUEUE_DATA_SOURCE,
} from './table-queue.constants.js';
import { getTableQueueToken } from './table-queue.tokens.js';

/**
 * The providers that a module exports, under tokens of its data source. Only the default data source has the token
 * `TableQueue`: if others had it too, `app.get(TableQueue)` would find the last one.
 *
 * Inside the module the tokens do not depend on the data source.
 */
export function publicProviders(extras: ResolvedModuleExtras): { providers: Provider[]; exports: InjectionToken[] } {
  const { dataSource } = extras;
  const queue = getTableQueueToken(dataSource);
  const services = QUEUE_SERVICES.map((service) => ({
    provide: getTableQueueToken<object>(dataSource, service),
    useClass: service,
  }));
  return {
    providers: [
      { provide: MODULE_EXTRAS, useValue: extras },
      // Depends on nothing, so Nest calls it before TypeORM reads the entities of the data source.
      { provide: STARTING_APPLICATION, useFactory: () => new StartingApplication(extras) },
      {
        provide: ACCEPTED_ENTITIES,
        useFactory: (application: StartingApplication, modules: ModulesContainer) => application.acceptedIn(modules),
        inject: [STARTING_APPLICATION, ModulesContainer],
      },
      {
        provide: TABLE_QUEUE_DATA_SOURCE,
        useFactory: (queues: ApplicationQueues, application: StartingApplication, found?: DataSource) => {
          application.accept();
          return queues.require(found);
        },
        inject: [ApplicationQueues, STARTING_APPLICATION, { token: getDataSourceToken(dataSource), optional: true }],
      },
      { provide: queue, useFactory: createQueue, inject: [TABLE_QUEUE_DATA_SOURCE, RESOLVED_OPTIONS] },
      { provide: TABLE_QUEUE, useExisting: queue },
      ...services,
      {
        provide: SCHEDULED_SERVICES,
        useFactory: (...all: unknown[]) => all,
        inject: SCHEDULED.map((service) => getTableQueueToken<object>(dataSource, service)),
      },
    ],
    exports: [queue, ...services.map(({ provide }) => provide)],
  };
}

function createQueue(dataSource: DataSource, { queue }: ResolvedModuleOptions): TableQueue {
  return new TableQueue(dataSource, queue);
}
