import { type ActionOptions, recorded, resolveActionRecord } from '../action-options.js';
import { assertQueueName } from '../definition/names.js';
import type { QueueName } from '../definition/queue-name.js';
import { type Duration, toMilliseconds } from '../duration.js';
import type { Engine, OperationFactory } from '../engine/engine.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import {
  type StoredLimits,
  type StoredSettings,
  findQueueSettings,
  limitQueue,
  pauseQueue,
  resumeQueue,
} from '../store/base/queue-settings.js';

/** How many jobs may begin in a window of time, over all processes. A window begins with its first job. */
export interface RateLimit {
  /** 1 to 1,000,000,000. */
  readonly jobs: number;
  /** 1 ms to 365 days. */
  readonly per: Duration;
}

/** Limits of a queue over all processes. What is left out is not limited. */
export interface QueueLimits {
  /**
   * How many of its jobs run at a time, from 1 to 10,000. Never more: jobs count from their claim until their outcome is
   * committed, those of a worker that died until the reaper has freed them.
   */
  readonly concurrency?: number;
  /**
   * The same for the jobs of each tenant, from 1 to 10,000: see `JobOptions.tenant`. Jobs without a tenant are not
   * limited by it.
   */
  readonly concurrencyPerTenant?: number;
  /** How many of its jobs begin in a span of time. A retry counts again. */
  readonly rate?: RateLimit;
}

/** What is set for a queue in all processes. */
export interface QueueControlState {
  readonly queue: string;
  /** Since when; undefined while it is not paused. */
  readonly pausedAt: Date | undefined;
  readonly concurrency: number | undefined;
  readonly concurrencyPerTenant: number | undefined;
  /** `per` in ms. */
  readonly rate: { readonly jobs: number; readonly per: number } | undefined;
}

const MOST_CONCURRENCY = 10_000;
const MOST_RATE = 1_000_000_000;
const LONGEST_WINDOW = 365 * 24 * 3_600_000;

/**
 * Pauses and limits queues everywhere. Workers follow within a second; jobs that run are left alone, and enqueuing
 * always works. Nothing of it is part of a caller's transaction.
 */
export class QueueControl {
  constructor(private readonly engine: Engine) {}

  /**
   * Nothing more is claimed from the queue until `resume`. Pausing a paused queue changes nothing.
   *
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
   */
  async pause(queue: QueueName, options: ActionOptions = {}): Promise<void> {
    await this.change(queue, 'pause', options, null, (dialect) => pauseQueue(dialect, queue));
  }

  /**
   * Ends a pause.
   *
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
   */
  async resume(queue: QueueName, options: ActionOptions = {}): Promise<void> {
    await this.change(queue, 'resume', options, null, (dialect) => resumeQueue(dialect, queue));
  }

  /**
   * Sets the limits of a queue, instead of those it had. `{}` removes them.
   *
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
   */
  async limit(queue: QueueName, limits: QueueLimits, options: ActionOptions = {}): Promise<void> {
    const stored = resolveLimits(limits);
    await this.change(queue, 'limit', options, limits, (dialect) => limitQueue(dialect, queue, stored));
  }

  /** What is set, for the queues for which something was set. */
  async list(): Promise<QueueControlState[]> {
    const stored = await this.engine.execute(findQueueSettings, { purpose: 'read settings of queues', readOnly: true });
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
    const note = resolveActionRecord(options, action, `queue ${queue}`, detail);
    await this.engine.execute(recorded(note, factory), { purpose: `${action} a queue`, atomic: true });
  }
}

function resolveLimits(limits: QueueLimits): StoredLimits {
  assertKnownOptions(limits, ['concurrency', 'concurrencyPerTenant', 'rate']);
  const { concurrency, concurrencyPerTenant, rate } = limits;
  if (rate !== undefined) {
    assertKnownOptions(rate, ['jobs', 'per'], 'rate.');
  }
  return {
    concurrency: slots('concurrency', concurrency),
    tenantConcurrency: slots('concurrencyPerTenant', concurrencyPerTenant),
    rateJobs: rate ? wholeNumber('rate.jobs', rate.jobs, 1, MOST_RATE) : null,
    rateWindow: rate ? toMilliseconds('rate.per', rate.per, 1, LONGEST_WINDOW) : null,
  };
}

function slots(option: string, value: number | undefined): number | null {
  return value === undefined ? null : wholeNumber(option, value, 1, MOST_CONCURRENCY);
}

function toState(stored: StoredSettings): QueueControlState {
  const { queue, pausedAt, concurrency, tenantConcurrency, rateJobs, rateWindow } = stored;
  return {
    queue,
    pausedAt: pausedAt === null ? undefined : new Date(pausedAt),
    concurrency: concurrency ?? undefined,
    concurrencyPerTenant: tenantConcurrency ?? undefined,
    rate: rateJobs === null || rateWindow === null ? undefined : { jobs: rateJobs, per: rateWindow },
  };
}
