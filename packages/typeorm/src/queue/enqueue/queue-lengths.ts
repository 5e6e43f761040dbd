import { AsyncResource } from 'node:async_hooks';

import { type Engine, executeIn, executeRead } from '../../engine/engine.js';
import type { TransactionHandle } from '../../engine/transaction-handle.js';
import { MissingPrivilegeError, QueueFullError } from '../../errors/index.js';
import { groupBy } from '../../group-by.js';
import type { QueueLogger } from '../../logger.js';
import { findMaxLengths } from '../../store/base/queue-settings.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import { countInLanes } from '../../store/reports/count-in-lanes.js';
import { LIVE_STATES } from '../../tables/job.js';

/** How old the maximum lengths may be before they are read again, in ms. */
const MAXIMA_AGE = 10_000;
/** How old a count may be before the jobs are counted again, in ms. */
const COUNT_AGE = 1_000;
/** The most of the time that counting a queue may take: long queues are counted less often. */
const MOST_COUNTING = 0.05;

/** The states of jobs that count: those that wait, for whatever. */
const WAITING = LIVE_STATES.filter((state) => state !== 'running');

/** How many jobs wait in a queue with a maximum length. */
interface Length {
  /** The count, and the jobs that this process has enqueued since. */
  jobs: number;
  /** By the monotonic clock, in ms. */
  readonly validUntil: number;
}

/**
 * Refuses enqueues into full queues, approximately: without locks, so that callers do not wait for each other. See
 * docs/decisions/0129.
 *
 * The maxima of all queues are read in the background, at most every 10 s and only while this process enqueues. Only a
 * queue with a maximum is counted. Calls share a count for a second.
 */
export class QueueLengths {
  private maxima: ReadonlyMap<string, number> = new Map();
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;
  /** How often this process has set a maximum. */
  private changes = 0;
  private hasWarned = false;
  private readonly lengths = new Map<string, Length>();
  private readonly counting = new Map<string, Promise<void>>();
  /** So that a read does not run in the asynchronous context of a call. */
  private readonly neutral = new AsyncResource('TableQueueLengths');

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
  ) {
    void this.readMaxima();
  }

  /** This process has set the maximum of a queue. */
  onLimited(queue: string, max: number | null): void {
    this.changes++;
    const maxima = new Map(this.maxima);
    if (max === null) {
      maxima.delete(queue);
    } else {
      maxima.set(queue, max);
    }
    this.maxima = maxima;
    this.lengths.delete(queue);
  }

  /**
   * Checks whether some jobs may be enqueued, and counts them in. Costs nothing for queues without a maximum.
   *
   * @param handle the caller's transaction: it counts there, because the other connections may all wait
   *   for such calls.
   * @returns a promise if something has to be read first.
   * @throws QueueFullError
   */
  admit(jobs: readonly NewJob[], handle: TransactionHandle | undefined): Promise<void> | undefined {
    if (performance.now() - this.readAt > MAXIMA_AGE) {
      const reading = this.neutral.runInAsyncScope(() => this.readMaxima());
      // Nothing is known before the first read.
      if (this.readAt === -Infinity && !handle) {
        return reading.then(() => this.admitNow(jobs, undefined));
      }
    }
    return this.admitNow(jobs, handle);
  }

  private admitNow(jobs: readonly NewJob[], handle: TransactionHandle | undefined): Promise<void> | undefined {
    return this.maxima.size === 0 ? undefined : this.admitEach(jobs, handle);
  }

  private admitEach(jobs: readonly NewJob[], handle: TransactionHandle | undefined): Promise<void> | undefined {
    const limited = jobs.filter(({ queue }) => this.maxima.has(queue));
    return limited.length === 0
      ? undefined
      : this.count(
          groupBy(limited, ({ queue }) => queue),
          handle,
        );
  }

  private async count(
    byQueue: ReadonlyMap<string, readonly NewJob[]>,
    handle: TransactionHandle | undefined,
  ): Promise<void> {
    for (const queue of byQueue.keys()) {
      if ((this.lengths.get(queue)?.validUntil ?? 0) <= performance.now()) {
        await (handle ? this.countQueue(queue, handle) : this.countOnce(queue));
      }
    }
    for (const [queue, jobs] of byQueue) {
      const max = this.maxima.get(queue);
      const length = this.lengths.get(queue);
      if (max !== undefined && length && length.jobs + jobs.length > max) {
        throw new QueueFullError(queue, max, jobs.length);
      }
    }
    // After all checks: a group is stored as a whole or not at all.
    for (const [queue, { length: added }] of byQueue) {
      const length = this.lengths.get(queue);
      if (length) {
        length.jobs += added;
      }
    }
  }

  private countOnce(queue: string): Promise<void> {
    let counting = this.counting.get(queue);
    if (!counting) {
      counting = this.countQueue(queue, undefined).finally(() => this.counting.delete(queue));
      this.counting.set(queue, counting);
    }
    return counting;
  }

  private async countQueue(queue: string, handle: TransactionHandle | undefined): Promise<void> {
    const max = this.maxima.get(queue);
    if (max === undefined) {
      return;
    }
    const options = { purpose: 'count the jobs of a queue', readOnly: true };
    const lanes = WAITING.map((state) => ({ queue, state }));
    const since = performance.now();
    const counts = await executeIn(this.engine, handle, (dialect) => countInLanes(dialect, lanes, max), options);
    const now = performance.now();
    const age = Math.max(COUNT_AGE, (now - since) / MOST_COUNTING);
    this.lengths.set(queue, { jobs: counts.reduce((sum, count) => sum + count, 0), validUntil: now + age });
  }

  /** Never rejects: enqueues go on with the maxima that are known, at first none. */
  private readMaxima(): Promise<void> {
    this.reading ??= this.readUnchanged().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readUnchanged(): Promise<void> {
    try {
      let changes: number;
      let maxima: ReadonlyMap<string, number>;
      // A maximum that this process has set meanwhile may be missing in what was read.
      do {
        changes = this.changes;
        maxima = await executeRead(this.engine, 'read the maximum lengths of queues', findMaxLengths);
      } while (changes !== this.changes);
      this.maxima = maxima;
    } catch (error) {
      if (error instanceof MissingPrivilegeError) {
        this.warnOnce();
      } else if (this.readAt === -Infinity) {
        // It is an error of the enqueue too, and the next call reads again.
        return;
      }
    }
    this.readAt = performance.now();
  }

  private warnOnce(): void {
    if (!this.hasWarned) {
      this.hasWarned = true;
      this.logger.warn(
        'The maxLength of queues could not be read, so this process does not apply it. Its account needs SELECT ' +
          '(queue) and SELECT (max_length) on tq_queue.',
      );
    }
  }
}
