import { defineJob } from '@tablequeue/typeorm';

/** Sums up how the shop does. */
export const reportSales = defineJob('report.sales', { queue: 'reports' });
