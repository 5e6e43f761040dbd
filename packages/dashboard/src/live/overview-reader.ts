import { setTimeout as sleep } from 'node:timers/promises';

import type { TableQueue } from '@tablequeue/typeorm';

import type { Overview } from '../contract/index.js';
import { readOverview } from '../figures/overview.js';

/** How old what is shown may be, in ms. */
export const INTERVAL = 1_000;
/**
 * How long others wait for a reading that has begun before they begin one of their own, in ms: a connection that has
 * fallen silent may take hours to say so.
 */
export const LONGEST_READING = 10_000;
/**
 * How many times as long as a reading takes nothing is read after it, and how long at most, in ms. Counting twelve queues
 * of 10,000 jobs and more takes a server tens of ms, which once a second can be seen in a drain
 * (docs/internals/performance.md).
 */
const REST = 50;
const LONGEST_REST = 3_000;

/** Hears of what was read, or why it could not be. */
export interface OverviewListener {
  onOverview(overview: Overview): void;
  onError(error: unknown): void;
}

/** One reading, and how old it is. */
interface Reading {
  readonly result: Promise<Overview>;
  readonly since: number;
  isOver: boolean;
}

const READERS = new WeakMap<TableQueue, OverviewReader>();

/**
 * Reads the overview of a database for everybody who asks in this process: one reading at a time, one in an interval, or
 * fewer where it takes long, and only while somebody asks; one more behind each change. So the load on the database does not grow with the pages that are open.
 */
export class OverviewReader {
  private readonly listeners = new Set<OverviewListener>();
  private last: Reading | undefined;
  private isTelling = false;

  private constructor(private readonly queue: TableQueue) {}

  /** That of a queue: two dashboards of an application share it. */
  static of(queue: TableQueue): OverviewReader {
    const reader = READERS.get(queue) ?? new OverviewReader(queue);
    READERS.set(queue, reader);
    return reader;
  }

  /** The overview; one of at most this age, in ms, is not read again, nor is a database that was away then asked. */
  latest(age = INTERVAL): Promise<Overview> {
    const { last } = this;
    if (last && performance.now() - last.since < (last.isOver ? age : LONGEST_READING)) {
      return last.result;
    }
    const reading: Reading = { result: readOverview(this.queue), since: performance.now(), isOver: false };
    const end = () => (reading.isOver = true);
    reading.result.then(end, end);
    this.last = reading;
    return reading.result;
  }

  /** The overview as it is when this is called, or later: what was read before is too old for who has changed something. */
  async fresh(): Promise<Overview> {
    const earlier = this.last;
    await earlier?.result.catch(() => undefined);
    return this.latest(this.last === earlier ? 0 : INTERVAL);
  }

  /** Has the overview read anew for who asks from now on: somebody has changed something. */
  forget(): void {
    this.last = undefined;
  }

  /** Tells a listener now, and after every interval or rest until the returned function is called. */
  listen(listener: OverviewListener): () => void {
    this.listeners.add(listener);
    if (this.isTelling) {
      void this.tell(() => (this.listeners.has(listener) ? [listener] : []), INTERVAL);
    } else {
      void this.tellAlways();
    }
    return () => this.listeners.delete(listener);
  }

  private async tellAlways(): Promise<void> {
    this.isTelling = true;
    while (this.listeners.size > 0) {
      const since = performance.now();
      // Half an interval: timers may be a little early.
      await this.tell(() => this.listeners, INTERVAL / 2);
      const rest = Math.min(LONGEST_REST, (performance.now() - since) * REST);
      await sleep(Math.max(INTERVAL, rest), undefined, { ref: false });
    }
    this.isTelling = false;
  }

  private async tell(listeners: () => Iterable<OverviewListener>, age: number): Promise<void> {
    try {
      const overview = await this.latest(age);
      [...listeners()].forEach((each) => each.onOverview(overview));
    } catch (error) {
      [...listeners()].forEach((each) => each.onError(error));
    }
  }
}
