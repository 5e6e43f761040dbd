import { Module } from '@nestjs/common';
import { DashboardModule } from '@tablequeue/dashboard';

import { AlertInbox } from './alerts/alert-inbox.js';
import { AlertsController } from './alerts/alerts.controller.js';
import { ControlsController } from './controls/controls.controller.js';
import { PageController } from './controls/page.controller.js';
import { Customers } from './demo/customers.js';
import { OrdersController } from './orders/orders.controller.js';
import { ReceiverController } from './payments/receiver.controller.js';
import { Receiver } from './payments/receiver.js';
import { ShopModule } from './shop.module.js';
import { Workers } from './workers/workers.js';

/** The process that takes requests: it enqueues, shows the dashboard and starts the workers. */
@Module({
  imports: [
    ShopModule,
    DashboardModule.forRoot({
      // Every visitor may do everything, because the sample listens on 127.0.0.1 only. An application sets `guards`,
      // and returns a role for the signed-in user. See docs/guides/dashboard.md.
      public: true,
      role: () => 'operator',
    }),
  ],
  controllers: [OrdersController, ReceiverController, AlertsController, ControlsController, PageController],
  providers: [Receiver, Workers, Customers, AlertInbox],
})
export class AppModule {}
