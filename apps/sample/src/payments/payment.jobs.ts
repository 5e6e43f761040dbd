import { defineJob, exponential } from '@tablequeue/typeorm';
import { z } from 'zod';

/** Notifies the seller's system that an order was paid. That system fails at times. */
export const sendPaymentNotice = defineJob('payment.notice', {
  queue: 'notices',
  schema: z.object({ orderId: z.int(), cents: z.int() }),
  retry: { attempts: 15, backoff: exponential({ from: '1s', max: '5m' }) },
});
