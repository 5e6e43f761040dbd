import { type Duration, toMilliseconds } from '../duration.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import type { StoredLimits } from '../store/base/queue-settings.js';
import { type Rate, defaultBurst } from '../store/base/rate.js';

/**
 * A rate limit over all processes: a token bucket. In any time t, at most `burst + t × jobs / per` jobs start, by the
 * database's clock. A job starts when it is claimed. Each attempt counts, also one that a stopping worker returns.
 */
export interface RateLimit {
  /** Jobs that may start per window: 1 to 1,000,000,000. */
  readonly jobs: number;
  /** The length of the window: 1 ms to 365 days. */
  readonly per: Duration;
  /**
   * How many jobs may start at once after a pause: 1 to 1,000,000,000, and no more than can start in 3,650 days.
   * Default: 1, and more for rates of ten a second and above, those of 100 ms. At most `jobs`. With 1, no more than
   * `jobs` start in any window.
   */
  readonly burst?: number;
}

/** Limits of a queue in all processes. Default of each: no limit. */
export interface QueueLimits {
  /**
   * The maximum of running jobs: 1 to 10,000. Jobs count from their claim until their outcome is committed, those of a
   * dead worker until the reaper has returned them. A changed limit applies to the next claim, the first limit of a
   * queue within a second.
   */
  readonly concurrency?: number;
  /** The maximum of running jobs of each tenant: 1 to 10,000. Does not limit jobs without a tenant. */
  readonly concurrencyPerTenant?: number;
  /** How many jobs may start per window. */
  readonly rate?: RateLimit;
  /** How many jobs of each tenant may start per window. Does not limit jobs without a tenant. */
  readonly ratePerTenant?: RateLimit;
  /**
   * The maximum of waiting jobs, ready, scheduled and waiting: 1 to 1,000,000. Above it, `enqueue`, `enqueueMany`,
   * `groups.enqueue` and `publish` throw a `QueueFullError`. Running jobs do not count. Retries, schedules, callbacks,
   * children of durable jobs and jobs of subscriptions are never refused. The queue can exceed it by what all processes
   * enqueue within about a second. Processes follow a changed maximum within 10 s.
   */
  readonly maxLength?: number;
}

const MOST_CONCURRENCY = 10_000;
const LONGEST_QUEUE = 1_000_000;
const MOST_RATE = 1_000_000_000;
const DAY = 24 * 3_600_000;
const LONGEST_WINDOW = 365 * DAY;
/** In how long all tokens of a rate must come back, in ms. Times stay far below 2^53 µs. */
const LONGEST_REFILL = 3_650 * DAY;

/**
 * @param path what the name of an option starts with in an error.
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveLimits(limits: QueueLimits, path = ''): StoredLimits {
  assertKnownOptions(limits, ['concurrency', 'concurrencyPerTenant', 'rate', 'ratePerTenant', 'maxLength'], path);
  const { concurrency, concurrencyPerTenant, rate, ratePerTenant, maxLength } = limits;
  return {
    concurrency: slots(`${path}concurrency`, concurrency),
    tenantConcurrency: slots(`${path}concurrencyPerTenant`, concurrencyPerTenant),
    rate: rate === undefined ? null : resolveRate(`${path}rate`, rate),
    tenantRate: ratePerTenant === undefined ? null : resolveRate(`${path}ratePerTenant`, ratePerTenant),
    maxLength: maxLength === undefined ? null : wholeNumber(`${path}maxLength`, maxLength, 1, LONGEST_QUEUE),
  };
}

function resolveRate(option: string, rate: RateLimit): Rate {
  assertKnownOptions(rate, ['jobs', 'per', 'burst'], `${option}.`);
  const jobs = wholeNumber(`${option}.jobs`, rate.jobs, 1, MOST_RATE);
  const window = toMilliseconds(`${option}.per`, rate.per, 1, LONGEST_WINDOW);
  if (rate.burst === undefined) {
    return { jobs, window, burst: defaultBurst({ jobs, window }) };
  }
  const mostTokens = Math.min(MOST_RATE, Math.floor((LONGEST_REFILL * jobs) / window));
  return { jobs, window, burst: wholeNumber(`${option}.burst`, rate.burst, 1, mostTokens) };
}

function slots(option: string, value: number | undefined): number | null {
  return value === undefined ? null : wholeNumber(option, value, 1, MOST_CONCURRENCY);
}
