import { type Duration, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';

/**
 * How long to wait after a failure, in ms.
 *
 * @param failures how many attempts have failed so far, the one just ended included: 1 after the first.
 */
export type Backoff = (failures: number) => number;

/**
 * Always the same wait.
 *
 * @throws InvalidOptionError
 */
export function fixed(wait: Duration): Backoff {
  const milliseconds = toMilliseconds('fixed', wait);
  return () => milliseconds;
}

/** What `listed` returns. */
export interface ListedBackoff extends Backoff {
  /** The waits, in ms. */
  readonly gaps: readonly number[];
}

/** A job has at most 1000 attempts. */
const MOST_GAPS = 999;

/**
 * One wait after each failure, in their order: `listed('15s', '1m', '1h')`.
 *
 * A retry policy with it has one attempt more than there are waits, unless it says fewer; more are refused, since
 * nothing says how long to wait. Called past the end of the list, from a function of your own, it answers the last wait.
 *
 * @throws InvalidOptionError for a list that is empty or longer than 999, and for what is no duration.
 */
export function listed(...waits: readonly Duration[]): ListedBackoff {
  if (waits.length === 0 || waits.length > MOST_GAPS) {
    throw new InvalidOptionError('listed', waits, `1 to ${MOST_GAPS} durations`);
  }
  const gaps = Object.freeze(waits.map((wait, index) => toMilliseconds(`listed[${index}]`, wait)));
  return Object.assign((failures: number) => gaps[Math.min(failures, gaps.length) - 1] as number, { gaps });
}

/** What `exponential` takes. */
export interface ExponentialOptions {
  /** The wait after the first failure. */
  readonly from: Duration;
  /** The longest wait. */
  readonly max: Duration;
  /** By how much each wait is longer than the one before. Default: 2. */
  readonly factor?: number;
  /** The share of a wait that is left to chance, 0 to 1, so that jobs that failed together do not return together. Default: 0.2. */
  readonly jitter?: number;
}

/**
 * A wait that grows: `from * factor ^ (failures - 1)`, at most `max`, less a random share of up to `jitter`.
 *
 * @throws InvalidOptionError, UnknownOptionError
 */
export function exponential(options: ExponentialOptions): Backoff {
  assertKnownOptions(options, ['from', 'max', 'factor', 'jitter'], 'exponential.');
  const { from, max, factor = 2, jitter = 0.2 } = options;
  const first = toMilliseconds('exponential.from', from);
  const longest = toMilliseconds('exponential.max', max, first);
  assertNumber('exponential.factor', factor, 1, 100);
  assertNumber('exponential.jitter', jitter, 0, 1);
  return (failures) => {
    const wait = Math.min(longest, first * factor ** (failures - 1));
    return Math.round(wait * (1 - jitter * Math.random()));
  };
}

function assertNumber(option: string, value: unknown, least: number, most: number): void {
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    throw new InvalidOptionError(option, value, `a number from ${least} to ${most}`);
  }
}
