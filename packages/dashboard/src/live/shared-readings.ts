import { setTimeout as sleep } from 'node:timers/promises';

import type { TableQueue } from '@tablequeue/typeorm';

import { INTERVAL, LONGEST_READING } from './overview-reader.js';

/** How many readings are kept at a time: each is all that a request has read, payloads included. */
const MOST_KEPT = 100;

const READINGS = new WeakMap<TableQueue, SharedReadings>();

/**
 * What was read of a database within the last second, or is being read: for everybody who asks for the same in this process.
 * So the load on the database does not grow with the pages that are open. Only what is read is shared: who asks, what is to be
 * hidden, and what can be done with it is looked at for each request.
 */
export class SharedReadings {
  private readonly kept = new Map<string, Promise<unknown>>();

  /** Those of a queue: two dashboards of an application share them. */
  static of(queue: TableQueue): SharedReadings {
    const readings = READINGS.get(queue) ?? new SharedReadings();
    READINGS.set(queue, readings);
    return readings;
  }

  /**
   * @param what is read, and everything it depends on. Of the same kind always of the same type.
   * @returns what somebody else has read, or reads now, or else what `read` does; nobody may change it. Errors are for those
   *   who wait for them already.
   */
  of<T>(what: readonly [kind: string, ...on: unknown[]], read: () => Promise<T>): Promise<T> {
    const key = JSON.stringify(what);
    const kept = this.kept.get(key);
    if (kept) {
      return kept as Promise<T>;
    }
    const reading = read();
    const forget = () => this.kept.get(key) === reading && this.kept.delete(key);
    this.kept.set(key, reading);
    const isOld = Promise.all([reading, sleep(INTERVAL, undefined, { ref: false })]);
    Promise.race([isOld, sleep(LONGEST_READING, undefined, { ref: false })]).then(forget, forget);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_KEPT && oldest !== undefined) {
      this.kept.delete(oldest);
    }
    return reading;
  }

  /** Has everything read anew that is asked for from now on: what was read, or begun, before is too old for who has changed something. */
  forget(): void {
    this.kept.clear();
  }
}
