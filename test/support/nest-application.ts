import { type DynamicModule, type INestApplicationContext, type LoggerService, Module } from '@nestjs/common';
import type { ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TableQueueModule } from '@tablequeue/nestjs';

import { DATABASE_TYPES } from './connection-options.js';
import type { ApplicationDatabase } from './database.js';
import { NoteSchema } from './note.js';

/** The module of a data source; the default one has no name. */
export function dataSourceModule(database: ApplicationDatabase, name?: string): DynamicModule {
  return TypeOrmModule.forRoot({ ...database.options(), entities: [NoteSchema], autoLoadEntities: true }, name);
}

/** The module of its queue. */
export function queueModule(
  database: ApplicationDatabase,
  dataSource?: string,
  options: Parameters<typeof TableQueueModule.forRoot>[0] = {},
): DynamicModule {
  const databaseType = DATABASE_TYPES[database.engine];
  return TableQueueModule.forRoot({ databaseType, dataSource, pollInterval: '20ms', ...options });
}

/** The applications that a test file has started. */
export class NestApplications {
  private readonly open = new Set<INestApplicationContext>();

  /** Starts one whose root module is called AppModule. It is closed too when it does not start. */
  async start(metadata: ModuleMetadata, logger?: LoggerService): Promise<INestApplicationContext> {
    @Module(metadata)
    class AppModule {}
    const testing = Test.createTestingModule({ imports: [AppModule] });
    const compiled = await (logger ? testing.setLogger(logger) : testing).compile();
    const app = compiled.createNestApplication();
    this.open.add(app);
    return app.init();
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.open].map((app) => app.close()));
    this.open.clear();
  }
}
