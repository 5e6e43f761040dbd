import { ConfigurableModuleBuilder, type Provider } from '@nestjs/common';

import { ApplicationQueues } from './lifecycle/application-queue.registry.js';
import { QueueEventHub } from './events/queue-event.hub.js';
import { QueueListeners } from './events/queue.listeners.js';
import { QueueWorkerHost } from './lifecycle/queue-worker.host.js';
import { QueueExplorer } from './handlers/queue.explorer.js';
import { QueueLifecycle } from './lifecycle/queue.lifecycle.js';
import { QueueSchedules } from './lifecycle/queue.schedules.js';
import { autoLoadEntities } from './options/auto-loaded.entities.js';
import { NO_EXTRAS, type TableQueueModuleExtras, resolveModuleExtras } from './options/table-queue.extras.js';
import { type TableQueueModuleOptions, resolveModuleOptions } from './options/table-queue.options.js';
import { MODULE_EXTRAS, RESOLVED_OPTIONS } from './table-queue.constants.js';
import { publicProviders } from './table-queue.providers.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<TableQueueModuleOptions>({ moduleName: 'TableQueue' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createTableQueueOptions')
    .setExtras<TableQueueModuleExtras>(NO_EXTRAS, (definition, given) => {
      const extras = resolveModuleExtras(given);
      autoLoadEntities(extras);
      const { providers, exports } = publicProviders(extras);
      return {
        ...definition,
        global: extras.isGlobal,
        providers: [...(definition.providers ?? []), ...internalProviders(), ...providers],
        exports,
      };
    })
    .build();

function internalProviders(): Provider[] {
  return [
    ApplicationQueues,
    { provide: RESOLVED_OPTIONS, useFactory: resolveModuleOptions, inject: [MODULE_OPTIONS_TOKEN, MODULE_EXTRAS] },
    QueueExplorer,
    QueueEventHub,
    QueueListeners,
    QueueWorkerHost,
    QueueSchedules,
    QueueLifecycle,
  ];
}
