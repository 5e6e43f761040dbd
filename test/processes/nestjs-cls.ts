/* A Nest application with nestjs-cls: a process of its own, because Jest cannot load its CommonJS beside Nest's modules. */
import 'reflect-metadata';

import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule, getDataSourceToken } from '@nestjs/typeorm';
import { ClsPluginTransactional, Transactional, TransactionHost } from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { TableQueueModule } from '@tablequeue/nestjs';
import { TableQueue, TableQueueJob, defineJob } from '@tablequeue/typeorm';
import { ClsModule } from 'nestjs-cls';
import { DataSource } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { DATABASE_TYPES, connectionOptions } from '../support/connection-options.js';

const { ENGINE = 'sqlite', URL = '' } = process.env;
const engine = ENGINE as Engine;

const mail = defineJob('mail');

@Injectable()
class Orders {
  constructor(private readonly queue: TableQueue) {}

  @Transactional()
  async order(isToFail: boolean): Promise<void> {
    await this.queue.enqueue(mail);
    if (isToFail) {
      throw new Error('roll back');
    }
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({ ...connectionOptions(engine, URL), entities: [], autoLoadEntities: true }),
    ClsModule.forRoot({
      global: true,
      plugins: [
        new ClsPluginTransactional({
          imports: [TypeOrmModule],
          adapter: new TransactionalAdapterTypeOrm({ dataSourceToken: getDataSourceToken() }),
        }),
      ],
    }),
    TableQueueModule.forRootAsync({
      databaseType: DATABASE_TYPES[engine],
      inject: [TransactionHost],
      useFactory: (host: TransactionHost<TransactionalAdapterTypeOrm>) => ({
        outsideTransaction: 'throw' as const,
        currentManager: () => (host.isTransactionActive() ? host.tx : undefined),
      }),
    }),
  ],
  providers: [Orders],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] });
const jobs = app.get(DataSource).getRepository(TableQueueJob);
const orders = app.get(Orders);
const counts = [];
await orders.order(true).catch(() => undefined);
counts.push(await jobs.count());
await orders.order(false);
counts.push(await jobs.count());
await app.get(TableQueue).enqueue(mail);
counts.push(await jobs.count());
console.log(counts.join(' '));
await app.close();
