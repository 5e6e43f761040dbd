import { type Duration, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';

/**
 * Returns the wait after a failed attempt, in ms.
 *
 * @param failures the number of failed attempts so far: 1 after the first failure.
 */
export type Backoff = (failures: number) => number;

/**
 * Returns a backoff that always waits the same time.
 *
 * @param wait 0 ms to 100 years.
 * @throws InvalidOptionError for an invalid duration.
 */
export function fixed(wait: Duration): Backoff {
  const milliseconds = toMilliseconds('fixed', wait);
  return () => milliseconds;
}

/** The waits of a backoff that `listed` has made, in ms. */
const listedGaps = new WeakMap<Backoff, readonly number[]>();

/** Returns the waits of a backoff that `listed` has made, in ms; undefined for another one. */
export function gapsOf(backoff: Backoff): readonly number[] | undefined {
  return listedGaps.get(backoff);
}

/** A job has at most 1,000 attempts. */
const MOST_GAPS = 999;

/**
 * Returns a backoff with one wait for each failure, in order: `listed('15s', '1m', '1h')`.
 *
 * A job then has one attempt more than there are waits, or fewer with `attempts`. Past the end of the list it returns
 * the last wait.
 *
 * @param waits 1 to 999 durations.
 * @throws InvalidOptionError for no wait, too many waits, or an invalid duration.
 */
export function listed(...waits: readonly Duration[]): Backoff {
  if (waits.length === 0 || waits.length > MOST_GAPS) {
    throw new InvalidOptionError('listed', waits, `1 to ${MOST_GAPS} durations`);
  }
  const gaps = Object.freeze(waits.map((wait, index) => toMilliseconds(`listed[${index}]`, wait)));
  const backoff: Backoff = (failures) => gaps[Math.min(failures, gaps.length) - 1] as number;
  listedGaps.set(backoff, gaps);
  return backoff;
}

/** Options of `exponential`. */
export interface ExponentialOptions {
  /** The wait after the first failure: 0 ms to 100 years. */
  readonly from: Duration;
  /** The longest wait: at least `from`, at most 100 years. */
  readonly max: Duration;
  /** The ratio of each wait to the one before: 1 to 100. Default: 2. */
  readonly factor?: number;
  /**
   * The random share of each wait, 0 to 1: 0.2 shortens a wait by up to 20 %, so that jobs that failed together are not
   * retried together. Default: 0.2.
   */
  readonly jitter?: number;
}

/**
 * Returns a backoff whose waits grow: `from * factor ^ (failures - 1)`, at most `max`, less a random share.
 *
 * @example
 * ```ts
 * exponential({ from: '2s', max: '10m' }); // about 2 s, 4 s, 8 s, … up to 10 min
 * ```
 *
 * @throws InvalidOptionError for a value outside its range, UnknownOptionError for an option that does not exist.
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
