/* One application, whose processes differ in their environment alone. Ends cleanly after a message to close. */
import 'reflect-metadata';

import { Controller, type INestApplication, Injectable, Module, Param, ParseIntPipe, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { QueueHandler, Recurring, TableQueueModule, queueRole } from '@tablequeue/nestjs';
import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { DATABASE_TYPES, connectionOptions } from '../support/connection-options.js';
import { type RoleMessage, mailJob, reportJob } from '../support/role-jobs.js';

const { ENGINE = 'sqlite', URL = '' } = process.env;
const engine = ENGINE as Engine;

@Injectable()
class Handlers {
  constructor(private readonly dataSource: DataSource) {}

  @QueueHandler(mailJob)
  mail(job: number): Promise<void> {
    return this.count(job);
  }

  @Recurring({ every: '1h', payload: 0 })
  @QueueHandler(reportJob)
  report(job: number): Promise<void> {
    return this.count(job);
  }

  private async count(job: number): Promise<void> {
    await this.dataSource.query('INSERT INTO run (job, process) VALUES (?, ?)', [job, process.pid]);
  }
}

@Controller()
class Orders {
  constructor(private readonly queue: TableQueue) {}

  @Post('orders/:number')
  async order(@Param('number', ParseIntPipe) number: number): Promise<void> {
    await this.queue.enqueue(mailJob, number);
    await this.queue.enqueue(reportJob, -number);
  }
}

@Module({
  imports: [
    ScheduleModule.forRoot(),
    TypeOrmModule.forRoot({ ...connectionOptions(engine, URL), entities: [], autoLoadEntities: true }),
    TableQueueModule.forRoot({ databaseType: DATABASE_TYPES[engine], pollInterval: '20ms' }),
  ],
  controllers: [Orders],
  providers: [Handlers],
})
class AppModule {}

const options = { logger: ['error', 'log'] as ('error' | 'log')[] };
const app =
  queueRole() === 'worker'
    ? await NestFactory.createApplicationContext(AppModule, options)
    : await NestFactory.create(AppModule, options);
const server = 'listen' in app ? (app as INestApplication) : undefined;
await server?.listen(0, '127.0.0.1');

process.once('message', () => void app.close());
// It must not be the channel that keeps the process alive, nor end it.
process.channel?.unref();
const message: RoleMessage = {
  pid: process.pid,
  address: await server?.getUrl(),
  intervals: app.get(SchedulerRegistry).getIntervals().length,
};
process.send?.(message);
