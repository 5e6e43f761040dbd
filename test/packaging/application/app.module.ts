import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DashboardModule } from '@tablequeue/dashboard';
import { TableQueueModule } from '@tablequeue/nestjs';

import { handlers } from './older-nest.js';
import { Mailer, Order, Orders } from './orders.js';

@Module({
  imports: [
    ScheduleModule.forRoot(),
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      database: ':memory:',
      entities: [Order],
      autoLoadEntities: true,
      synchronize: true,
    }),
    TableQueueModule.forRoot({ databaseType: 'better-sqlite3', queues: { mail: { concurrency: 20 } } }),
    DashboardModule.forRoot({ path: '/queues', public: true }),
  ],
  providers: [Orders, Mailer, ...handlers],
})
export class AppModule {}
