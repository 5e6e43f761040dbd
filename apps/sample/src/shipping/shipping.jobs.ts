import { defineJob, defineSignal } from '@tablequeue/typeorm';
import { z } from 'zod';

/** Orders from this price on wait for a release, in cents. */
export const EXPENSIVE = 4_000;

/** Ships a paid order: a durable job. */
export const shipOrder = defineJob('order.ship', {
  queue: 'shipping',
  schema: z.object({ orderId: z.int(), email: z.email(), cents: z.int() }),
});

/** A person has checked an expensive order. */
export const released = defineSignal('released', { schema: z.object({ by: z.string().max(100) }) });

/** Slow work, so it has a queue of its own and nothing else waits behind it. */
export const printLabel = defineJob('label.print', {
  queue: 'labels',
  schema: z.object({ orderId: z.int() }),
});
