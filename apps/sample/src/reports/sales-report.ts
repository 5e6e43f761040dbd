import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { QueueHandler, Recurring } from '@tablequeue/nestjs';
import { DataSource, In } from 'typeorm';

import { Order } from '../orders/order.entity.js';
import { reportSales } from './report.jobs.js';

/** The result of the job. */
export interface Sales {
  readonly orders: number;
  readonly cents: number;
}

@Injectable()
export class SalesReport {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Each tick runs once, on any number of workers. */
  @QueueHandler(reportSales)
  @Recurring({ every: '10s', overlap: false })
  async report(): Promise<Sales> {
    const orders = this.dataSource.getRepository(Order);
    const paid = { status: In(['paid', 'shipped'] as const) };
    return { orders: await orders.countBy(paid), cents: (await orders.sum('cents', paid)) ?? 0 };
  }
}
