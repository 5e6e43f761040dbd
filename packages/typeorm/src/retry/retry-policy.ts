import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { type Backoff, exponential } from './backoff.js';

/** What a job definition says about retries. */
export interface RetryOptions {
  /**
   * How many attempts may fail before the job has failed, 1 to 1000; 1 means no retry. Hand-backs and crashes of the
   * process do not count. Default: 10.
   */
  readonly attempts?: number;
  /** How long to wait before the next attempt. Default: `exponential({ from: '2s', max: '10m' })`. */
  readonly backoff?: Backoff;
}

/** A resolved retry policy. */
export type RetryPolicy = Required<RetryOptions>;

const MOST_ATTEMPTS = 1000;

/** Checks retry options and fills in the defaults. */
export function resolveRetryPolicy(options: RetryOptions = {}): RetryPolicy {
  assertKnownOptions(options, ['attempts', 'backoff'], 'retry.');
  const { attempts = 10, backoff = exponential({ from: '2s', max: '10m' }) } = options;
  wholeNumber('retry.attempts', attempts, 1, MOST_ATTEMPTS);
  if (typeof backoff !== 'function') {
    throw new InvalidOptionError('retry.backoff', backoff, 'a function, such as exponential({ … }) or fixed(…)');
  }
  return Object.freeze({ attempts, backoff });
}
