import {
  type ActionOptions,
  type PauseOptions,
  recorded,
  resolveActionRecord,
  resolveReason,
} from '../action-options.js';
import { definedQueues } from '../definition/define-job.js';
import { assertQueueName } from '../definition/names.js';
import type { QueueName } from '../definition/queue-name.js';
import { type Engine, type OperationFactory, executeRead } from '../engine/engine.js';
import { UnknownWorkerError } from '../errors/index.js';
import type { QueueLogger } from '../logger.js';
import { nearestName } from '../option-advice.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import type { Rate } from '../store/base/rate.js';
import { type QueueLimits, resolveLimits } from './queue-limits.js';
import type { QueueLengths } from './enqueue/queue-lengths.js';
import {
  type StoredSettings,
  findQueueSettings,
  limitQueue,
  pauseQueue,
  resumeQueue,
} from '../store/base/queue-settings.js';
import { requestOfWorker } from '../store/workers/request-of-worker.js';
import type { WorkerRequest } from '../tables/worker.js';

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

/** The highest id of a worker. */
const HIGHEST_ID = 2 ** 32 - 1;

/**
 * Pauses, resumes and limits queues in all processes, and quiets or stops single workers: `queue.control`.
 *
 * Workers follow a change of a queue within a second. Running jobs go on. Enqueuing goes on too, up to `maxLength`. The
 * calls commit on their own.
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
   * await queue.control.pause('mail', { by: 'ada', reason: 'The mail server is down until noon.' });
   * ```
   *
   * @throws InvalidNameError for an invalid queue name, InvalidOptionError, UnknownOptionError for wrong options.
   */
  async pause(queue: QueueName, options: PauseOptions = {}): Promise<void> {
    assertKnownOptions(options, ['by', 'reason']);
    const { reason, ...action } = options;
    await this.change(queue, 'pause', action, resolveReason(reason), (dialect) => pauseQueue(dialect, queue));
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

  /**
   * Asks a worker to claim no more jobs until `resumeWorker`. Its running jobs go on, and its maintenance tasks too. It
   * follows when it next renews its lease: within a third of it, 10 s by default. If it ends before, nothing remains.
   *
   * @example
   * ```ts
   * const [oldest] = await queue.activity.workers();
   * await queue.control.quietWorker(oldest.id, { by: 'ada' });
   * ```
   *
   * @param id of `queue.activity.workers`. A process that starts again has another one.
   * @throws UnknownWorkerError if no worker with this id has a lease.
   * @throws InvalidOptionError, UnknownOptionError for wrong options.
   */
  async quietWorker(id: number, options: ActionOptions = {}): Promise<void> {
    await this.requestOf(id, 'quiet', 'quiet', options);
  }

  /**
   * Asks a quiet worker to claim jobs again. It has no effect on one that is stopping already.
   *
   * @param id of `queue.activity.workers`.
   * @throws UnknownWorkerError if no worker with this id has a lease.
   * @throws InvalidOptionError, UnknownOptionError for wrong options.
   */
  async resumeWorker(id: number, options: ActionOptions = {}): Promise<void> {
    await this.requestOf(id, 'work', 'resume', options);
  }

  /**
   * Asks a worker to stop, as its method `stop` does: it claims no more jobs, waits for the running ones up to its
   * `shutdownTimeout`, returns the others, and ends. It follows when it next renews its lease: within a third of it, 10
   * s by default. Only the worker ends. Its process goes on, unless it does something at `worker.stopRequested`.
   *
   * @param id of `queue.activity.workers`.
   * @throws UnknownWorkerError if no worker with this id has a lease.
   * @throws InvalidOptionError, UnknownOptionError for wrong options.
   */
  async stopWorker(id: number, options: ActionOptions = {}): Promise<void> {
    await this.requestOf(id, 'stop', 'stop', options);
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

  private async requestOf(id: number, request: WorkerRequest, action: string, options: ActionOptions): Promise<void> {
    wholeNumber('id', id, 1, HIGHEST_ID);
    const record = resolveActionRecord(options, action, `worker ${id}`);
    const by = options.by ?? null;
    const factory: OperationFactory<boolean> = function* (dialect, isRetry) {
      const stored = yield* requestOfWorker(dialect, id, request, by);
      // Where an earlier try has taken effect, the worker may have ended since.
      if (stored === 'missing' && !isRetry) {
        throw new UnknownWorkerError(id);
      }
      return stored === true;
    };
    await this.engine.execute(
      recorded(record, factory, (hasChanged) => hasChanged),
      { purpose: `${action} a worker`, atomic: true, withoutGaps: true },
    );
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
