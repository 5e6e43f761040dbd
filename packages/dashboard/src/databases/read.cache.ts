import { setTimeout as sleep } from 'node:timers/promises';

import type { TableQueue } from '@tablequeue/typeorm';

import { INTERVAL, LONGEST_READ } from './overview.reader.js';

/** The number of cached reads. Each holds everything that a request read, payloads included. */
const MOST_ENTRIES = 100;

const CACHES = new WeakMap<TableQueue, ReadCache>();

/**
 * Shares each read of a database for one second between all requests in this process, so that the load does not grow
 * with the number of open pages. Only the read is shared: guards, roles, redaction and allowed actions apply to each
 * request.
 */
export class ReadCache {
  private readonly entries = new Map<string, Promise<unknown>>();

  /** Returns the cache of a queue, which all dashboards of an application share. */
  static of(queue: TableQueue): ReadCache {
    const cache = CACHES.get(queue) ?? new ReadCache();
    CACHES.set(queue, cache);
    return cache;
  }

  /**
   * Returns the result of a read that is cached or in progress, or else calls `read`. Do not modify the result. An
   * error reaches the requests that wait for it, and is not cached.
   *
   * `read` must not depend on the user or on the options of a dashboard, such as `payloads`: other dashboards and users
   * get its result.
   *
   * @param key the kind of the read and all its parameters. One kind always has the same type.
   */
  getOrRead<T>(key: readonly [kind: string, ...parameters: unknown[]], read: () => Promise<T>): Promise<T> {
    const id = JSON.stringify(key);
    const cached = this.entries.get(id);
    if (cached) {
      return cached as Promise<T>;
    }
    const result = read();
    const remove = () => this.entries.get(id) === result && this.entries.delete(id);
    this.entries.set(id, result);
    const isOld = Promise.all([result, sleep(INTERVAL, undefined, { ref: false })]);
    Promise.race([isOld, sleep(LONGEST_READ, undefined, { ref: false })]).then(remove, remove);
    const [oldest] = this.entries.keys();
    if (this.entries.size > MOST_ENTRIES && oldest !== undefined) {
      this.entries.delete(oldest);
    }
    return result;
  }

  /** Clears the cache after a change, reads in progress included: they may have started before it. */
  clear(): void {
    this.entries.clear();
  }
}
