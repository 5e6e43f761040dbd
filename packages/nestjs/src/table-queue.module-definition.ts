import { ConfigurableModuleBuilder } from '@nestjs/common';

import { autoLoadEntities } from './options/auto-loaded.entities.js';
import { NO_EXTRAS, type TableQueueModuleExtras, resolveModuleExtras } from './options/table-queue.extras.js';
import type { TableQueueModuleOptions } from './options/table-queue.options.js';
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
        providers: [...(definition.providers ?? []), ...providers],
        exports,
      };
    })
    .build();
