import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { type Backoff, type ListedBackoff, exponential } from './backoff.js';

/** What a job definition says about retries. */
export interface RetryOptions {
  /**
   * How many attempts may fail before the job has failed, 1 to 1000; 1 means no retry. Hand-backs and crashes of the
   * process do not count. Default: 10; with `listed`, which also is the most then, one more than its waits.
   */
  readonly attempts?: number;
  /** How long to wait before the next attempt. Default: `exponential({ from: '2s', max: '10m' })`. */
  readonly backoff?: Backoff;
  /**
   * How often in a row the process may die, or lose its lease, while the job runs: after that the job has failed with a
   * `JobCrashedTooOftenError`. 1 to 1000. Default: 3.
   */
  readonly crashes?: number;
}

/** A resolved retry policy. */
export type RetryPolicy = Required<RetryOptions>;

const DEFAULT_ATTEMPTS = 10;
const MOST_ATTEMPTS = 1000;
const MOST_CRASHES = 1000;

/** Checks retry options and fills in the defaults. */
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
  const { gaps } = backoff as Partial<ListedBackoff>;
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
