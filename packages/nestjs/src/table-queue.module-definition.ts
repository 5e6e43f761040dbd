import { ConfigurableModuleBuilder } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { tableQueueEntities } from '@tablequeue/typeorm';

import { NO_EXTRAS, type TableQueueModuleExtras, resolveModuleExtras } from './options/table-queue.extras.js';
import type { TableQueueModuleOptions } from './options/table-queue.options.js';
import { publicProviders } from './table-queue.providers.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<TableQueueModuleOptions>({ moduleName: 'TableQueue' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createTableQueueOptions')
    .setExtras<TableQueueModuleExtras>(NO_EXTRAS, (definition, given) => {
      const extras = resolveModuleExtras(given);
      const { isGlobal, dataSource, databaseType, prefix, partitionHistory } = extras;
      // Called for its side effect: it adds the entities to data sources with autoLoadEntities. The module it returns
      // would only provide unused repositories.
      TypeOrmModule.forFeature(tableQueueEntities(databaseType, { prefix, partitionHistory }), dataSource);
      const { providers, exports } = publicProviders(extras);
      return {
        ...definition,
        global: isGlobal,
        providers: [...(definition.providers ?? []), ...providers],
        exports,
      };
    })
    .build();
