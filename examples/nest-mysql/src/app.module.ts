import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DashboardModule } from '@tablequeue/dashboard';
import { TableQueueModule } from '@tablequeue/nestjs';

import { options } from './database.js';
import { Mailer } from './mailer.js';
import { Order } from './order.entity.js';
import { OrdersController } from './orders.controller.js';

@Module({
  imports: [
    ScheduleModule.forRoot(), // once, in the root module: it runs the maintenance of the queue
    TypeOrmModule.forRoot({ ...options, entities: [Order], autoLoadEntities: true }), // adds the queue's entities
    TableQueueModule.forRoot({ queues: { mail: { concurrency: 20 } } }),
    // Without guards and read-only, because this example listens on localhost only. Set `guards` in your application.
    DashboardModule.forRoot({ path: '/queues', public: true }),
  ],
  controllers: [OrdersController],
  providers: [Mailer],
})
export class AppModule {}
