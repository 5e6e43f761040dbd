import { defineJob } from '@tablequeue/typeorm';

/** The API route and the worker import the same definition. */
export const sendReceipt = defineJob<{ order: number; email: string }>('receipt.send', {
  queue: 'mail',
  retry: { attempts: 10 },
});
