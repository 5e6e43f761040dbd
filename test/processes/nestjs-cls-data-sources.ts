/* Two data sources with nestjs-cls: a process of its own, as in nestjs-cls.ts. The named one is on a server, where there is one. */
import 'reflect-metadata';

import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule, getDataSourceToken } from '@nestjs/typeorm';
import {
  ClsPluginTransactional,
  Transactional,
  type TransactionHost,
  getTransactionHostToken,
} from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { InjectTableQueue, TableQueueModule, getTableQueueToken } from '@tablequeue/nestjs';
import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { ClsModule } from 'nestjs-cls';

import type { Engine } from '../servers/engines.js';
import { DATABASE_TYPES, connectionOptions } from '../support/connection-options.js';

const { ENGINE = 'sqlite', URL = '', DEFAULT_URL = '' } = process.env;
const engine = ENGINE as Engine;

const mail = defineJob('mail');

@Injectable()
class Orders {
  constructor(
    private readonly queue: TableQueue,
    @InjectTableQueue('reports') private readonly reports: TableQueue,
  ) {}

  /** A transaction on the named data source: only that queue's job is part of it. */
  @Transactional('reports')
  async report(isToFail: boolean): Promise<void> {
    await this.reports.enqueue(mail);
    await this.queue.enqueue(mail);
    if (isToFail) {
      throw new Error('roll back');
    }
  }
}

const sources = [
  { name: undefined, databaseType: DATABASE_TYPES.sqlite, options: connectionOptions('sqlite', DEFAULT_URL) },
  { name: 'reports', databaseType: DATABASE_TYPES[engine], options: connectionOptions(engine, URL) },
];

@Module({
  imports: [
    ...sources.map(({ name, options }) =>
      TypeOrmModule.forRoot({ ...options, entities: [], autoLoadEntities: true }, name),
    ),
    ClsModule.forRoot({
      global: true,
      plugins: sources.map(
        ({ name }) =>
          new ClsPluginTransactional({
            connectionName: name,
            imports: [TypeOrmModule],
            adapter: new TransactionalAdapterTypeOrm({ dataSourceToken: getDataSourceToken(name) }),
          }),
      ),
    }),
    ...sources.map(({ name, databaseType }) =>
      TableQueueModule.forRootAsync({
        dataSource: name,
        databaseType,
        inject: [getTransactionHostToken(name)],
        useFactory: (host: TransactionHost<TransactionalAdapterTypeOrm>) => ({
          outsideTransaction: 'throw' as const,
          currentManager: () => (host.isTransactionActive() ? host.tx : undefined),
        }),
      }),
    ),
  ],
  providers: [Orders],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] });
const counts = async () => {
  const queues = [undefined, 'reports'].map((name) => app.get<TableQueue>(getTableQueueToken(name)));
  const ready = await Promise.all(queues.map(async (queue) => (await queue.counts())[0]?.ready.count ?? 0));
  return ready.join('+');
};
const seen = [];
await app
  .get(Orders)
  .report(true)
  .catch(() => undefined);
seen.push(await counts());
await app.get(Orders).report(false);
seen.push(await counts());
console.log(seen.join(' '));
await app.close();
