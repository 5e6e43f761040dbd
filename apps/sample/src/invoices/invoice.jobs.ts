import { defineJob } from '@tablequeue/typeorm';
import { z } from 'zod';

/** Slow work, so it has a queue of its own and nothing else waits behind it. */
export const writeInvoice = defineJob('invoice.write', {
  queue: 'invoices',
  schema: z.object({ orderId: z.int() }),
});
