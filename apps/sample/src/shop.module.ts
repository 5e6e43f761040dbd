import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TableQueueModule } from '@tablequeue/nestjs';

import { databaseOptions } from './database/database.js';
import { InvoiceWriter } from './invoices/invoice-writer.js';
import { Mailer } from './mail/mailer.js';
import { Order } from './orders/order.entity.js';
import { OrdersService } from './orders/orders.service.js';
import { PaymentNotices } from './payments/payment-notices.js';
import { SalesReport } from './reports/sales-report.js';

const database = databaseOptions();

/** What all processes of the shop have in common: the database, the queue, the orders and the handlers. */
@Module({
  imports: [
    ScheduleModule.forRoot(),
    TypeOrmModule.forRoot({ ...database, entities: [Order], autoLoadEntities: true, retryAttempts: 1 }),
    TableQueueModule.forRoot({
      databaseType: database.type,
      // The workers are told otherwise by TABLEQUEUE_ROLE.
      role: 'producer',
      queues: { mail: { concurrency: 20 }, invoices: { concurrency: 2 } },
      // As short as that only to be watched: on SQLite a killed worker is known by its lease alone. Leave the default, 30 s,
      // where a process may be busy, or without its database, for seconds.
      lease: '5s',
      maintenance: { reaper: '500ms' },
      shutdownTimeout: '5s',
      retention: { succeeded: { age: '1d' } },
    }),
  ],
  providers: [OrdersService, Mailer, PaymentNotices, InvoiceWriter, SalesReport],
  exports: [OrdersService],
})
export class ShopModule {}
