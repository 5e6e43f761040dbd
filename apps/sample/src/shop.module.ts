import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TableQueueModule } from '@tablequeue/nestjs';

import { databaseOptions } from './database/database.js';
import { Shipping } from './shipping/shipping.js';
import { LabelPrinter } from './shipping/label-printer.js';
import { Mailer } from './mail/mailer.js';
import { Order } from './orders/order.entity.js';
import { OrdersService } from './orders/orders.service.js';
import { PaymentNotices } from './payments/payment-notices.js';
import { SalesReport } from './reports/sales-report.js';

const database = databaseOptions();
// The main process sets it for its workers: it simulates the receiver of alerts too.
const { ALERTS_URL } = process.env;

/** What all processes of the shop share: the database, the queue, the orders and the handlers. */
@Module({
  imports: [
    ScheduleModule.forRoot(),
    TypeOrmModule.forRoot({ ...database, entities: [Order], autoLoadEntities: true, retryAttempts: 1 }),
    TableQueueModule.forRoot({
      databaseType: database.type,
      // TABLEQUEUE_ROLE sets another role in the workers.
      role: 'producer',
      queues: { mail: { concurrency: 20 }, labels: { concurrency: 2 } },
      // Short for the demo: on SQLite a dead worker is detected only when its lease ends. An application keeps the
      // default, 30 s, so that a busy process or a short outage does not count as a death.
      lease: '5s',
      maintenance: { reaper: '500ms' },
      shutdownTimeout: '5s',
      retention: { succeeded: { age: '1d' } },
      // Soon, and also about what lasts only a moment, for the demo.
      alerts: ALERTS_URL
        ? {
            webhooks: { shop: { url: ALERTS_URL } },
            rules: { failing: { kinds: ['failing-attempts', 'failed-jobs'] } },
            interval: '5s',
          }
        : undefined,
    }),
  ],
  providers: [OrdersService, Mailer, PaymentNotices, Shipping, LabelPrinter, SalesReport],
  exports: [OrdersService],
})
export class ShopModule {}
