import { setTimeout as sleep } from 'node:timers/promises';

import type { TableQueue } from '@tablequeue/typeorm';

import type { Overview } from '../contract/index.js';
import type { QueueRows } from '../overview/queue-rows.js';
import { type OverviewRead, readOverview } from '../overview/read-overview.js';

/** The maximum age of shown data, in ms. */
export const INTERVAL = 1_000;
/**
 * How long requests wait for a read in progress before they start another, in ms. A dead connection may block for
 * hours.
 */
export const LONGEST_READ = 10_000;
/**
 * The pause after a read, as a multiple of its duration, and its maximum in ms. Counting a dozen long queues takes a
 * server tens of ms, which once a second would slow down a drain (docs/internals/performance.md).
 */
const PAUSE_FACTOR = 50;
const LONGEST_PAUSE = 3_000;

export interface OverviewListener {
  onOverview(overview: Overview): void;
  onError(error: unknown): void;
}

interface Read {
  readonly result: Promise<OverviewRead>;
  readonly startedAt: number;
  isDone: boolean;
}

const READERS = new WeakMap<TableQueue, OverviewReader>();

/**
 * Reads the overview of a database for all requests and streams in this process. It runs one read at a time, at most
 * one per interval, and only while a client needs it; after each change one more. So the load does not grow with the
 * number of open pages.
 */
export class OverviewReader {
  private readonly listeners = new Set<OverviewListener>();
  private last: Read | undefined;
  private isPublishing = false;

  private constructor(private readonly queue: TableQueue) {}

  /** Returns the reader of a queue, which all dashboards of an application share. */
  static of(queue: TableQueue): OverviewReader {
    const reader = READERS.get(queue) ?? new OverviewReader(queue);
    READERS.set(queue, reader);
    return reader;
  }

  /**
   * Returns the last read, or its error.
   *
   * @param maxAge the age up to which the last read is reused, in ms.
   */
  latest(maxAge = INTERVAL): Promise<OverviewRead> {
    const { last } = this;
    if (last && performance.now() - last.startedAt < (last.isDone ? maxAge : LONGEST_READ)) {
      return last.result;
    }
    const read: Read = { result: readOverview(this.queue), startedAt: performance.now(), isDone: false };
    const end = () => (read.isDone = true);
    read.result.then(end, end);
    this.last = read;
    return read.result;
  }

  /**
   * Returns the queues of the last read. Pages ask for them after each overview that they are sent, so that read is
   * reused until the next one, even if it took longer than an interval.
   */
  async queues(): Promise<QueueRows> {
    return (await this.latest(this.isPublishing ? LONGEST_READ : INTERVAL)).queues;
  }

  /** Returns a read that began after this call: earlier ones do not show a change that was just made. */
  async fresh(): Promise<OverviewRead> {
    const earlier = this.last;
    await earlier?.result.catch(() => undefined);
    return this.latest(this.last === earlier ? 0 : INTERVAL);
  }

  /** Makes the next request read again, after a change. */
  invalidate(): void {
    this.last = undefined;
  }

  /** Calls a listener now, and after each interval or pause until the returned function is called. */
  subscribe(listener: OverviewListener): () => void {
    this.listeners.add(listener);
    if (this.isPublishing) {
      void this.publish(() => (this.listeners.has(listener) ? [listener] : []), INTERVAL);
    } else {
      void this.publishRepeatedly();
    }
    return () => this.listeners.delete(listener);
  }

  private async publishRepeatedly(): Promise<void> {
    this.isPublishing = true;
    while (this.listeners.size > 0) {
      const startedAt = performance.now();
      // Half an interval, because timers may fire a little early.
      await this.publish(() => this.listeners, INTERVAL / 2);
      const pause = Math.min(LONGEST_PAUSE, (performance.now() - startedAt) * PAUSE_FACTOR);
      await sleep(Math.max(INTERVAL, pause), undefined, { ref: false });
    }
    this.isPublishing = false;
  }

  private async publish(listeners: () => Iterable<OverviewListener>, maxAge: number): Promise<void> {
    try {
      const { overview } = await this.latest(maxAge);
      [...listeners()].forEach((each) => each.onOverview(overview));
    } catch (error) {
      [...listeners()].forEach((each) => each.onError(error));
    }
  }
}
