import { listed } from './backoff.js';
import { type RetryOptions, resolveRetryPolicy } from './retry-policy.js';

/**
 * Retries for payment notices, as payment services send them to merchants: 16 attempts within a day and four minutes,
 * `15s 15s 30s 3m 10m 20m 30m 30m 30m 60m 3h 3h 3h 6h 6h` apart.
 *
 * `defineJob('payment.notify', { retry: paymentNoticeRetry })`
 */
export const paymentNoticeRetry: Required<RetryOptions> = resolveRetryPolicy({
  backoff: listed('15s', '15s', '30s', '3m', '10m', '20m', '30m', '30m', '30m', '60m', '3h', '3h', '3h', '6h', '6h'),
});
