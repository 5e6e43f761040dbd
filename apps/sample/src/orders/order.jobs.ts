import { defineJob } from '@tablequeue/typeorm';
import { z } from 'zod';

/** How long a customer may take to pay. Short, so that a cancellation happens in the first minute. */
export const TIME_TO_PAY = '15s';

/** The key of all jobs of an order. */
export const orderKey = (orderId: number) => `order:${orderId}`;

/** Runs when the time to pay is over. Paying cancels it. */
export const cancelUnpaidOrder = defineJob('order.cancel-unpaid', {
  schema: z.object({ orderId: z.int() }),
});
