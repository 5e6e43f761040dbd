import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { type Backoff, exponential, gapsOf, listed } from './backoff.js';

/** Retries of a job definition. */
export interface RetryOptions {
  /**
   * How many failed attempts a job may have: 1 to 1,000; 1 means no retry. Snoozed and returned attempts, and crashes
   * of the process, do not count. Default: 10; with `listed`, one more than its waits, which is then also the maximum.
   */
  readonly attempts?: number;
  /** The wait before the next attempt. Default: `exponential({ from: '2s', max: '10m' })`. */
  readonly backoff?: Backoff;
  /**
   * How many times in a row the process may crash, or lose its lease, while the job runs: 1 to 1,000. Then the job
   * fails with a `JobCrashedTooOftenError`. Default: 3.
   */
  readonly crashes?: number;
}

/** Retry options with their defaults. */
export type RetryPolicy = Required<RetryOptions>;

const DEFAULT_ATTEMPTS = 10;
const MOST_ATTEMPTS = 1000;
const MOST_CRASHES = 1000;

/** @throws InvalidOptionError, UnknownOptionError */
export function resolveRetryPolicy(options: RetryOptions = {}): RetryPolicy {
  assertKnownOptions(options, ['attempts', 'backoff', 'crashes'], 'retry.');
  const { backoff = exponential({ from: '2s', max: '10m' }), crashes = 3 } = options;
  if (typeof backoff !== 'function') {
    throw new InvalidOptionError(
      'retry.backoff',
      backoff,
      'a function, such as exponential({ … }), listed(…) or fixed(…)',
    );
  }
  wholeNumber('retry.crashes', crashes, 1, MOST_CRASHES);
  return Object.freeze({ attempts: attemptsOf(options, backoff), backoff, crashes });
}

function attemptsOf({ attempts }: RetryOptions, backoff: Backoff): number {
  const gaps = gapsOf(backoff);
  const checked = wholeNumber(
    'retry.attempts',
    attempts ?? (gaps ? gaps.length + 1 : DEFAULT_ATTEMPTS),
    1,
    MOST_ATTEMPTS,
  );
  if (gaps && checked > gaps.length + 1) {
    throw new InvalidOptionError(
      'retry.attempts',
      attempts,
      `a whole number from 1 to ${gaps.length + 1}: retry.backoff lists ${gaps.length} waits`,
    );
  }
  return checked;
}

/**
 * Retries for payment notices, as payment services send them to merchants: 16 attempts within a day and four minutes,
 * `15s 15s 30s 3m 10m 20m 30m 30m 30m 60m 3h 3h 3h 6h 6h` apart.
 *
 * `defineJob('payment.notify', { retry: paymentNoticeRetry })`
 */
export const paymentNoticeRetry: Required<RetryOptions> = resolveRetryPolicy({
  backoff: listed('15s', '15s', '30s', '3m', '10m', '20m', '30m', '30m', '30m', '60m', '3h', '3h', '3h', '6h', '6h'),
});
