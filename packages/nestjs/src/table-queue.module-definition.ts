import { ConfigurableModuleBuilder } from '@nestjs/common';
import { TypeOrmModule, getDataSourceToken } from '@nestjs/typeorm';
import { tableQueueEntities } from '@tablequeue/typeorm';

import type { TableQueueModuleExtras, TableQueueModuleOptions } from './table-queue-options.js';
import { TABLE_QUEUE_DATA_SOURCE } from './table-queue.constants.js';

const NO_EXTRAS: TableQueueModuleExtras = {
  isGlobal: true,
  dataSource: 'default',
  databaseType: 'mysql',
  prefix: 'tq_',
  partitionHistory: undefined,
};

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<TableQueueModuleOptions>({ moduleName: 'TableQueue' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createTableQueueOptions')
    .setExtras(NO_EXTRAS, (definition, { isGlobal, dataSource, databaseType = 'mysql', prefix, partitionHistory }) => ({
      ...definition,
      global: isGlobal === true,
      imports: [
        ...(definition.imports ?? []),
        // Reaches the data source where the application has set autoLoadEntities.
        TypeOrmModule.forFeature(tableQueueEntities(databaseType, { prefix, partitionHistory }), dataSource),
      ],
      providers: [
        ...(definition.providers ?? []),
        { provide: TABLE_QUEUE_DATA_SOURCE, useExisting: getDataSourceToken(dataSource) },
      ],
    }))
    .build();
