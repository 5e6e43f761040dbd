import { defineJob, exponential } from '@tablequeue/typeorm';
import { z } from 'zod';

export const sendMail = defineJob('mail.send', {
  queue: 'mail',
  schema: z.object({ orderId: z.int(), to: z.email(), template: z.string() }),
  retry: { attempts: 10, backoff: exponential({ from: '2s', max: '10m' }) },
});
