import { defineJob } from '@tablequeue/typeorm';

/** Sums up the sales of the shop. */
export const reportSales = defineJob('report.sales', { queue: 'reports' });
