import { Module } from '@nestjs/common';
import { DashboardModule } from '@tablequeue/dashboard';

import { ControlsController } from './controls/controls.controller.js';
import { PageController } from './controls/page.controller.js';
import { Customers } from './demo/customers.js';
import { OrdersController } from './orders/orders.controller.js';
import { ReceiverController } from './payments/receiver.controller.js';
import { Receiver } from './payments/receiver.js';
import { ShopModule } from './shop.module.js';
import { Workers } from './workers/workers.js';

/** The process that takes requests: it enqueues, shows the dashboard and looks after the workers. */
@Module({
  imports: [
    ShopModule,
    DashboardModule.forRoot({
      // Whoever reaches the page may do everything: good enough for a shop of toys that listens on 127.0.0.1 alone. An
      // application gives `guards` here, and leaves the role to who has signed in: see docs/guides/dashboard.md.
      public: true,
      role: () => 'operator',
    }),
  ],
  controllers: [OrdersController, ReceiverController, ControlsController, PageController],
  providers: [Receiver, Workers, Customers],
})
export class AppModule {}
