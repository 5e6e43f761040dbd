import { type ActionOptions, recorded, resolveActionRecord } from '../action-options.js';
import { definedQueues } from '../definition/defined-queues.js';
import { assertQueueName } from '../definition/names.js';
import type { QueueName } from '../definition/queue-name.js';
import { type Duration, toMilliseconds } from '../duration.js';
import { type Engine, type OperationFactory, executeRead } from '../engine/engine.js';
import type { QueueLogger } from '../logger.js';
import { nearestName } from '../option-advice.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { type Rate, defaultBurst } from '../store/base/rate.js';
import type { QueueLengths } from './enqueue/queue-lengths.js';
import {
  type StoredLimits,
  type StoredSettings,
  findQueueSettings,
  limitQueue,
  pauseQueue,
  resumeQueue,
} from '../store/base/queue-settings.js';

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
   * dead worker until the reaper has returned them. Workers follow a changed limit within a second.
   */
  readonly concurrency?: number;
  /** The maximum of running jobs of each tenant: 1 to 10,000. Does not limit jobs without a tenant. */
  readonly concurrencyPerTenant?: number;
  /** How many jobs may start per window. */
  readonly rate?: RateLimit;
  /** How many jobs of each tenant may start per window. Does not limit jobs without a tenant. */
  readonly ratePerTenant?: RateLimit;
  /**
   * The maximum of waiting jobs, ready, scheduled and waiting: 1 to 1,000,000. Above it, `enqueue`, `enqueueMany` and
   * `groups.enqueue` throw a `QueueFullError`. Running jobs do not count. Retries, schedules, callbacks and children of
   * durable jobs are never refused. The queue can exceed it by what all processes enqueue within about a second.
   * Processes follow a changed maximum within 10 s.
   */
  readonly maxLength?: number;
}

/** A rate limit as it is stored. */
export interface StoredRateLimit {
  readonly jobs: number;
  /** In ms. */
  readonly per: number;
  readonly burst: number;
}

/** The pause and the limits of a queue. */
export interface QueueControlState {
  /** The name of the queue. */
  readonly queue: string;
  /** When it was paused; undefined if it is not. */
  readonly pausedAt: Date | undefined;
  /** The maximum of running jobs; undefined for no limit. */
  readonly concurrency: number | undefined;
  /** The maximum of running jobs of each tenant; undefined for no limit. */
  readonly concurrencyPerTenant: number | undefined;
  /** The rate limit; undefined for none. */
  readonly rate: StoredRateLimit | undefined;
  /** The rate limit of each tenant; undefined for none. */
  readonly ratePerTenant: StoredRateLimit | undefined;
  /** The maximum of waiting jobs; undefined for no limit. */
  readonly maxLength: number | undefined;
}

const MOST_CONCURRENCY = 10_000;
const LONGEST_QUEUE = 1_000_000;
const MOST_RATE = 1_000_000_000;
const DAY = 24 * 3_600_000;
const LONGEST_WINDOW = 365 * DAY;
/** In how long all tokens of a rate must come back, in ms. Times stay far below 2^53 µs. */
const LONGEST_REFILL = 3_650 * DAY;

/**
 * Pauses, resumes and limits queues in all processes: `queue.control`. Workers follow within a second. Running jobs go
 * on. Enqueuing goes on too, up to `maxLength`. The calls commit on their own.
 */
export class QueueControl {
  /** @internal */
  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
    private readonly lengths: QueueLengths,
  ) {}

  /**
   * Pauses a queue: workers claim none of its jobs until `resume`. Pausing a paused queue changes nothing.
   *
   * @example
   * ```ts
   * await queue.control.pause('mail', { by: 'ada' });
   * ```
   *
   * @throws InvalidNameError for an invalid queue name, InvalidOptionError, UnknownOptionError for wrong options.
   */
  async pause(queue: QueueName, options: ActionOptions = {}): Promise<void> {
    await this.change(queue, 'pause', options, null, (dialect) => pauseQueue(dialect, queue));
  }

  /**
   * Ends a pause.
   *
   * @throws InvalidNameError for an invalid queue name, InvalidOptionError, UnknownOptionError for wrong options.
   */
  async resume(queue: QueueName, options: ActionOptions = {}): Promise<void> {
    await this.change(queue, 'resume', options, null, (dialect) => resumeQueue(dialect, queue));
  }

  /**
   * Replaces the limits of a queue. `{}` removes them.
   *
   * @example
   * ```ts
   * await queue.control.limit('mail', {
   *   concurrency: 20,
   *   rate: { jobs: 100, per: '1m' },
   *   ratePerTenant: { jobs: 10, per: '1m', burst: 5 },
   * });
   * ```
   *
   * @throws InvalidNameError for an invalid queue name.
   * @throws InvalidOptionError for a limit outside its range, UnknownOptionError for one that does not exist.
   */
  async limit(queue: QueueName, limits: QueueLimits, options: ActionOptions = {}): Promise<void> {
    const stored = resolveLimits(limits);
    await this.change(queue, 'limit', options, limits, (dialect) => limitQueue(dialect, queue, stored));
    this.lengths.onLimited(queue, stored.maxLength);
  }

  /** Returns the pause and the limits of all queues that have any. */
  async list(): Promise<QueueControlState[]> {
    const stored = await executeRead(this.engine, 'read settings of queues', findQueueSettings);
    return stored.map(toState);
  }

  private async change(
    queue: QueueName,
    action: 'pause' | 'resume' | 'limit',
    options: ActionOptions,
    detail: unknown,
    factory: OperationFactory<void>,
  ): Promise<void> {
    assertQueueName(queue);
    this.warnOfTypo(queue, action);
    const record = resolveActionRecord(options, action, `queue ${queue}`, detail);
    await this.engine.execute(recorded(record, factory), { purpose: `${action} a queue`, atomic: true });
  }

  /** Only a warning, and only for a name like one of this process: the queue may be that of another application. */
  private warnOfTypo(queue: string, action: string): void {
    const known = definedQueues();
    const nearest = known.includes(queue) ? undefined : nearestName(queue, known);
    if (nearest !== undefined) {
      this.logger.warn(`control.${action}("${queue}"): no definition uses this queue. Did you mean "${nearest}"?`);
    }
  }
}

function resolveLimits(limits: QueueLimits): StoredLimits {
  assertKnownOptions(limits, ['concurrency', 'concurrencyPerTenant', 'rate', 'ratePerTenant', 'maxLength']);
  const { concurrency, concurrencyPerTenant, rate, ratePerTenant, maxLength } = limits;
  return {
    concurrency: slots('concurrency', concurrency),
    tenantConcurrency: slots('concurrencyPerTenant', concurrencyPerTenant),
    rate: rate === undefined ? null : resolveRate('rate', rate),
    tenantRate: ratePerTenant === undefined ? null : resolveRate('ratePerTenant', ratePerTenant),
    maxLength: maxLength === undefined ? null : wholeNumber('maxLength', maxLength, 1, LONGEST_QUEUE),
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

function toState(stored: StoredSettings): QueueControlState {
  const { queue, pausedAt, concurrency, tenantConcurrency, rate, tenantRate, maxLength } = stored;
  return {
    queue,
    pausedAt: pausedAt === null ? undefined : new Date(pausedAt),
    concurrency: concurrency ?? undefined,
    concurrencyPerTenant: tenantConcurrency ?? undefined,
    rate: toRateLimit(rate),
    ratePerTenant: toRateLimit(tenantRate),
    maxLength: maxLength ?? undefined,
  };
}

function toRateLimit(rate: Rate | null): StoredRateLimit | undefined {
  return rate ? { jobs: rate.jobs, per: rate.window, burst: rate.burst } : undefined;
}
