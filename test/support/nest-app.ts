import { type INestApplication, Module, type ModuleMetadata } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TableQueueModule, type TableQueueModuleOptions } from '@tablequeue/nestjs';

import { DATABASE_TYPES } from './connection-options.js';
import type { TestDatabase } from './database.js';

export interface NestAppOptions extends ModuleMetadata {
  readonly queue?: TableQueueModuleOptions;
  /** What `main.ts` does before it starts the application. */
  readonly configure?: (app: INestApplication) => void;
}

/** Starts an application with the queue. A start that fails closes it. */
export async function startNestApp(
  database: TestDatabase,
  { queue, configure, imports = [], ...metadata }: NestAppOptions,
): Promise<INestApplication> {
  @Module({
    imports: [
      ScheduleModule.forRoot(),
      TypeOrmModule.forRoot({ ...database.options(), entities: [], autoLoadEntities: true }),
      TableQueueModule.forRoot({
        databaseType: DATABASE_TYPES[database.engine],
        pollInterval: '20ms',
        ...queue,
      }),
      ...imports,
    ],
    ...metadata,
  })
  class AppModule {}
  const app = (await Test.createTestingModule({ imports: [AppModule] }).compile()).createNestApplication({
    logger: false,
  });
  configure?.(app);
  try {
    return await app.init();
  } catch (error) {
    await app.close();
    throw error;
  }
}
