import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TableQueueModule } from '@tablequeue/nestjs';

import { databaseOptions } from './database/database.js';
import { DemoService } from './demo/demo.service.js';
import { InvoiceWriter } from './invoices/invoice-writer.js';
import { Mailer } from './mail/mailer.js';
import { Order } from './orders/order.entity.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersService } from './orders/orders.service.js';
import { PaymentNotices } from './payments/payment-notices.js';
import { ReceiverController } from './payments/receiver.controller.js';

const database = databaseOptions();

@Module({
  imports: [
    ScheduleModule.forRoot(),
    TypeOrmModule.forRoot({ ...database, entities: [Order], autoLoadEntities: true, retryAttempts: 1 }),
    TableQueueModule.forRoot({
      databaseType: database.type,
      queues: { mail: { concurrency: 20 }, invoices: { concurrency: 1 } },
    }),
  ],
  controllers: [OrdersController, ReceiverController],
  providers: [OrdersService, Mailer, PaymentNotices, InvoiceWriter, DemoService],
})
export class AppModule {}
