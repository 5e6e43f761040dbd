import { DatabaseUnavailableError, type TableQueue } from '@tablequeue/typeorm';

import type { Overview } from '../contract/index.js';
import type { QueueRows } from '../overview/queue-rows.js';
import { type OverviewRead, readOverview } from '../overview/read-overview.js';

/** The maximum age of shown data, in ms. */
export const INTERVAL = 1_000;
/**
 * How long requests wait for a read in progress before they start another, and streams before they get a problem, in
 * ms. A dead connection may block for hours.
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
  /** When the latest read that was published started. */
  private published = -Infinity;

  /** @param readOnce reads the overview. */
  constructor(private readonly readOnce: () => Promise<OverviewRead>) {}

  /** Returns the reader of a queue, which all dashboards of an application share. */
  static of(queue: TableQueue): OverviewReader {
    const reader = READERS.get(queue) ?? new OverviewReader(() => readOverview(queue));
    READERS.set(queue, reader);
    return reader;
  }

  /**
   * Returns the last read, or its error.
   *
   * @param maxAge the age up to which the last read is reused, in ms.
   */
  latest(maxAge = INTERVAL): Promise<OverviewRead> {
    return this.lastOrNew(maxAge).result;
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
    const hasEnded = earlier
      ? await endsInTime(
          earlier,
          earlier.result.catch(() => undefined),
        )
      : true;
    if (!hasEnded && this.last === earlier) {
      this.invalidate();
    }
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

  private lastOrNew(maxAge: number): Read {
    const { last } = this;
    if (last && performance.now() - last.startedAt < (last.isDone ? maxAge : LONGEST_READ)) {
      return last;
    }
    const read: Read = { result: this.readOnce(), startedAt: performance.now(), isDone: false };
    const end = () => (read.isDone = true);
    read.result.then(end, end);
    this.last = read;
    return read;
  }

  private async publishRepeatedly(): Promise<void> {
    this.isPublishing = true;
    while (this.listeners.size > 0) {
      const startedAt = performance.now();
      // Half an interval, because timers may fire a little early.
      await this.publish(() => this.listeners, INTERVAL / 2);
      const pause = Math.min(LONGEST_PAUSE, (performance.now() - startedAt) * PAUSE_FACTOR);
      await new Promise((resolve) => setTimeout(resolve, Math.max(INTERVAL, pause)).unref());
    }
    this.isPublishing = false;
  }

  /**
   * Sends an overview or a problem. After `LONGEST_READ` it sends a problem, so that a read that never ends does not end
   * the events of this process. If that read ends later, its overview is sent too.
   */
  private async publish(listeners: () => Iterable<OverviewListener>, maxAge: number): Promise<void> {
    const read = this.lastOrNew(maxAge);
    const fail = (error: unknown) => [...listeners()].forEach((each) => each.onError(error));
    try {
      if (!(await endsInTime(read, this.send(read, listeners)))) {
        fail(new DatabaseUnavailableError('read the overview', `no answer within ${LONGEST_READ / 1_000} s`));
      }
    } catch (error) {
      fail(error);
    }
  }

  /** Sends the overview of a read at its end. A late read must not replace a newer overview. */
  private async send({ result, startedAt }: Read, listeners: () => Iterable<OverviewListener>): Promise<void> {
    const { overview } = await result;
    if (startedAt >= this.published) {
      this.published = startedAt;
      [...listeners()].forEach((each) => each.onOverview(overview));
    }
  }
}

/**
 * Returns whether a read and the work with its result end within `LONGEST_READ`.
 *
 * @throws the error of the work, if it fails in time. A later one is ignored.
 */
async function endsInTime({ startedAt }: Read, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, startedAt + LONGEST_READ - performance.now(), false).unref();
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
