import { assertLockName } from '../definition/names.js';
import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import type { Engine } from '../engine/engine.js';
import { LockLostError, LockStateError, LockTimeoutError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { type Hold, HOLDER_TIMEOUT } from './hold.js';
import { takeByLease } from './lease-hold.js';
import { takeOnSession } from './session-hold.js';

/** How `acquire` and `withLock` wait. */
export interface LockOptions {
  /** How long to wait for the lock, at most 24 days. Default: 10 s. */
  readonly timeout?: Duration;
}

/**
 * A lock that one holder at a time has, over all processes that work on the same tables.
 *
 * It is freed when its holder's process dies: on MySQL and MariaDB, where it is a GET_LOCK on a connection of its own,
 * as soon as the server notices the connection's end, on SQLite within 30 s. A holder of whom the database hears nothing
 * for 30 s loses it. It is told, by an `AbortSignal`, but what it has under way then may overlap with the next holder's
 * work.
 *
 * Not re-entrant: an object holds its lock once, and two objects of one name keep each other out, also in one process.
 * It is no part of any transaction; on SQLite do not wait for it, or for its release, while a transaction of yours is open.
 */
export class NamedLock implements AsyncDisposable {
  /** The lock's name. */
  readonly name: string;
  private readonly engine: Engine;
  private isTaken = false;
  private hold: Hold | undefined;

  /**
   * @param queue a `TableQueue`, or whatever else has its engine.
   * @param name any text of 1 to 191 characters, compared exactly.
   * @throws InvalidNameError
   */
  constructor(queue: { readonly engine: Engine }, name: string) {
    assertLockName(name);
    this.engine = queue.engine;
    this.name = name;
  }

  /** Whether this object holds the lock, as far as it knows. */
  get isHeld(): boolean {
    return this.hold !== undefined && !this.hold.signal.aborted;
  }

  /** Aborted with a `LockLostError` when the lock is lost; undefined before `acquire` and after `release`. */
  get signal(): AbortSignal | undefined {
    return this.hold?.signal;
  }

  /**
   * Waits for the lock.
   *
   * @throws LockTimeoutError when it was not free in time.
   * @throws LockStateError when this object holds it, or waits for it, already.
   * @throws InvalidOptionError, UnknownOptionError, DatabaseUnavailableError, MissingTablesError
   */
  async acquire(options: LockOptions = {}): Promise<void> {
    assertKnownOptions(options, ['timeout']);
    const timeout = toMilliseconds('timeout', options.timeout ?? '10s', 0, LONGEST_TIMER);
    if (!(await this.takeHold(timeout))) {
      throw new LockTimeoutError(this.name, timeout);
    }
  }

  /**
   * Takes the lock if nobody has it at this moment.
   *
   * @returns whether it is held now.
   * @throws LockStateError, DatabaseUnavailableError, MissingTablesError
   */
  tryLock(): Promise<boolean> {
    return this.takeHold(0);
  }

  /**
   * Frees the lock. Does nothing where it is not held. Where the database is away it becomes free by itself.
   *
   * @returns whether it was held until now: false says that it was lost, or not held at all.
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
   * Waits for the lock, calls a function, and frees the lock when what it returns has settled.
   *
   * @param work is given a signal that is aborted when the lock is lost: break off then.
   * @returns what the function returns.
   * @throws LockLostError when the lock was lost before the function ended, unless that threw something itself.
   * @throws what `acquire` throws; the function is not called then.
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

  /** The same as `release`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  private async takeHold(wait: number): Promise<boolean> {
    if (this.isTaken) {
      throw new LockStateError(this.name);
    }
    this.isTaken = true;
    try {
      this.hold = await this.takeFromDatabase(wait);
    } finally {
      this.isTaken = this.hold !== undefined;
    }
    return this.isTaken;
  }

  private async takeFromDatabase(wait: number): Promise<Hold | undefined> {
    const since = performance.now();
    const session = await this.engine.openLockSession?.(HOLDER_TIMEOUT);
    if (session && !session.isOneOfMany) {
      const left = Math.max(0, wait - (performance.now() - since));
      return takeOnSession(session, this.engine.dialect.tables.lock.sql, this.name, left);
    }
    await session?.close();
    return takeByLease(this.engine, this.name, wait);
  }
}
