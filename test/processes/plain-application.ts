/* A Nest application that enqueues and works, and reports which of the optional parts it cannot load. */
import 'reflect-metadata';

import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { QueueHandler, TableQueueModule } from '@tablequeue/nestjs';
import { TableQueue, defineJob } from '@tablequeue/typeorm';

import type { Engine } from '../servers/engines.js';
import { DATABASE_TYPES, connectionOptions } from '../support/connection-options.js';

const { ENGINE = 'sqlite', URL = '' } = process.env;
const engine = ENGINE as Engine;

const PARTS = {
  opentelemetry: () => import('@tablequeue/typeorm/opentelemetry'),
  prometheus: () => import('@tablequeue/typeorm/prometheus'),
  health: () => import('@tablequeue/nestjs/health'),
};
for (const [name, load] of Object.entries(PARTS)) {
  const code = await load().then(
    () => 'there',
    (error: { code?: string }) => error.code,
  );
  console.log(`${name}: ${code}`);
}

const work = defineJob('work');

@Injectable()
class Work {
  @QueueHandler(work)
  run(): string {
    return 'it ran';
  }
}

@Module({
  imports: [
    ScheduleModule.forRoot(),
    TypeOrmModule.forRoot(connectionOptions(engine, URL)),
    TableQueueModule.forRoot({ databaseType: DATABASE_TYPES[engine] }),
  ],
  providers: [Work],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] });
const queue = app.get(TableQueue);
const { id } = await queue.enqueue(work);
console.log(await queue.waitFor(id));
await app.close();
