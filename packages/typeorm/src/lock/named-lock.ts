import { assertLockName } from '../definition/names.js';
import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import type { Engine } from '../engine/engine.js';
import { LockLostError, LockStateError, LockTimeoutError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { HOLDER_TIMEOUT, type Hold } from './hold.js';
import { acquireByLease } from './lease-hold.js';
import { acquireOnSession } from './session-hold.js';

/** Options of `acquire` and `withLock`. */
export interface LockOptions {
  /** How long to wait for the lock, 0 to 24 days. Default: 10 s. */
  readonly timeout?: Duration;
}

/**
 * A lock that one holder at a time has, over all processes with the same tables.
 *
 * If the holder's process dies, the lock becomes free. On MySQL and MariaDB it is a GET_LOCK on a separate connection,
 * and becomes free when the server notices that the connection has ended. On SQLite that takes up to 30 s. A holder
 * without contact to the database loses the lock after 30 s. Then an `AbortSignal` is aborted, but its current work can
 * overlap with the next holder's.
 *
 * Not reentrant: an object acquires its lock once, and two objects with one name exclude each other, also in one
 * process. It is not part of a transaction. On SQLite, do not wait for a lock or its release while your own transaction
 * is open.
 *
 * @example
 * ```ts
 * await using lock = queue.lock('import');
 * if (await lock.tryLock()) {
 *   await importFiles(lock.signal);
 * }
 * ```
 */
export class NamedLock implements AsyncDisposable {
  /** The lock's name. */
  readonly name: string;
  private readonly engine: Engine;
  private isTaken = false;
  private hold: Hold | undefined;

  /**
   * Creates the lock object. It does not acquire the lock.
   *
   * @internal Applications call `queue.lock(name)`.
   *
   * @param queue the `TableQueue`.
   * @param name text of 1 to 191 characters, compared exactly.
   * @throws InvalidNameError when the name is empty or too long.
   */
  constructor(queue: { readonly engine: Engine }, name: string) {
    assertLockName(name);
    this.engine = queue.engine;
    this.name = name;
  }

  /** Whether this object holds the lock, as far as this process knows. */
  get isHeld(): boolean {
    return this.hold !== undefined && !this.hold.signal.aborted;
  }

  /** Aborted with a `LockLostError` when the lock is lost; undefined before `acquire` and after `release`. */
  get signal(): AbortSignal | undefined {
    return this.hold?.signal;
  }

  /**
   * Waits for the lock and acquires it.
   *
   * @throws LockTimeoutError when the lock is not free in time.
   * @throws LockStateError when this object already holds the lock or waits for it.
   * @throws InvalidOptionError, UnknownOptionError for invalid options.
   * @throws DatabaseUnavailableError when the database cannot be reached.
   * @throws MissingTablesError when the queue's tables do not exist.
   */
  async acquire(options: LockOptions = {}): Promise<void> {
    assertKnownOptions(options, ['timeout']);
    const timeout = toMilliseconds('timeout', options.timeout ?? '10s', 0, LONGEST_TIMER);
    if (!(await this.acquireWithin(timeout))) {
      throw new LockTimeoutError(this.name, timeout);
    }
  }

  /**
   * Acquires the lock if it is free now.
   *
   * @returns whether this object holds it.
   * @throws LockStateError when this object already holds the lock or waits for it.
   * @throws DatabaseUnavailableError when the database cannot be reached.
   * @throws MissingTablesError when the queue's tables do not exist.
   */
  tryLock(): Promise<boolean> {
    return this.acquireWithin(0);
  }

  /**
   * Releases the lock; does nothing if this object does not hold it. If the database is unavailable, the lock becomes
   * free within 30 s.
   *
   * @returns whether it was held until now; false if it was lost or never held.
   */
  async release(): Promise<boolean> {
    const { hold } = this;
    if (!hold) {
      return false;
    }
    this.hold = undefined;
    try {
      return await hold.release();
    } finally {
      this.isTaken = false;
    }
  }

  /**
   * Acquires the lock, calls a function, and releases the lock after the function's promise has ended.
   *
   * @param work receives a signal that is aborted when the lock is lost: stop the work then.
   * @returns the function's result.
   * @throws LockLostError when the lock was lost before the function ended, unless the function threw an error.
   * @throws the errors of `acquire`; the function is not called then.
   */
  async withLock<T>(work: (signal: AbortSignal) => T | PromiseLike<T>, options: LockOptions = {}): Promise<T> {
    await this.acquire(options);
    const { signal } = this.hold as Hold;
    let result: T;
    try {
      result = await work(signal);
    } catch (error) {
      await this.release().catch(() => undefined);
      throw error;
    }
    if (!(await this.release())) {
      throw new LockLostError(this.name);
    }
    return result;
  }

  /** Releases the lock: for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  private async acquireWithin(wait: number): Promise<boolean> {
    if (this.isTaken) {
      throw new LockStateError(this.name);
    }
    this.isTaken = true;
    try {
      this.hold = await this.acquireFromDatabase(wait);
    } finally {
      this.isTaken = this.hold !== undefined;
    }
    return this.isTaken;
  }

  private async acquireFromDatabase(wait: number): Promise<Hold | undefined> {
    const since = performance.now();
    const session = await this.engine.openLockSession?.(HOLDER_TIMEOUT);
    if (session && !session.isOneOfMany) {
      const remaining = Math.max(0, wait - (performance.now() - since));
      return acquireOnSession(session, this.engine.dialect.tables.lock.sql, this.name, remaining);
    }
    await session?.close();
    return acquireByLease(this.engine, this.name, wait);
  }
}
