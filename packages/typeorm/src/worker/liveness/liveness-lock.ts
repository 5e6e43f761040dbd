import { randomUUID } from 'node:crypto';

import { LONGEST_TIMER } from '../../duration.js';
import type { Engine } from '../../engine/engine.js';
import type { LockSession } from '../../engine/lock-session.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { HeldLock } from '../../store/base/locks/missing-workers.js';
import { isLockVisible } from '../../store/workers/is-lock-visible.js';

/** The pause before another try to acquire a lock, in ms: the first and the longest. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;
/** The pause where locks cannot detect dead workers, in ms: it may have been a failover. */
const RETRY_WHEN_UNUSABLE = 300_000;

/**
 * The named lock that a worker holds on a connection of its own, so that others see at once when its process has died.
 * Where named locks cannot show that, or while there is no connection for one, the lease alone decides. See decision
 * 0042.
 *
 * Each connection acquires a lock with a new name: the server may keep the old lock until it notices that the old
 * connection is dead.
 */
export class LivenessLock {
  private session: LockSession | undefined;
  private current: HeldLock | undefined;
  private acquiring: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private wait = FIRST_WAIT;
  private hasLoggedUnusable = false;
  private isOpen = false;

  /** @param onChange called when the worker holds another lock, or none. */
  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
    private readonly onChange: () => void,
  ) {}

  /** The lock that is held; undefined while there is none. */
  get mark(): HeldLock | undefined {
    return this.current;
  }

  /** Acquires a lock where that is possible. Never rejects. */
  async open(): Promise<void> {
    this.isOpen = true;
    await this.acquire();
  }

  /** Frees the lock. Idempotent. @param patience how long to wait for the server, in ms. */
  async close(patience?: number): Promise<void> {
    this.isOpen = false;
    clearTimeout(this.timer);
    await this.acquiring;
    await this.release(patience);
  }

  /** The server no longer knows the lock: acquires another one. */
  async retake(): Promise<void> {
    if (this.current) {
      await this.release();
      await this.acquiring;
      await this.acquire();
    }
  }

  private acquire(): Promise<void> {
    this.acquiring ??= this.acquireOnce().finally(() => {
      this.acquiring = undefined;
    });
    return this.acquiring;
  }

  private async acquireOnce(): Promise<void> {
    if (!this.isOpen) {
      return;
    }
    try {
      // The connection stays silent: the worker checks the lock on its pool.
      this.session = await this.engine.openLockSession?.(LONGEST_TIMER);
      if (this.session) {
        await this.acquireOn(this.session);
      }
    } catch (error) {
      await this.release();
      if (this.isOpen) {
        logError(this.logger, 'The worker has no named lock for now; only its lease shows that it is alive', error);
        this.acquireIn(this.wait);
        this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
      }
    }
  }

  private async acquireOn(session: LockSession): Promise<void> {
    const mark = await this.lockOn(session);
    if (!mark) {
      if (!this.hasLoggedUnusable) {
        this.logger.log('Named locks cannot detect dead workers on this server; only leases do.');
        this.hasLoggedUnusable = true;
      }
      await this.release();
      this.acquireIn(RETRY_WHEN_UNUSABLE);
      return;
    }
    this.wait = FIRST_WAIT;
    this.setMark(mark);
    session.onEnd(() => void this.onSessionLost(session));
  }

  private acquireIn(milliseconds: number): void {
    if (this.isOpen) {
      this.timer = setTimeout(() => void this.acquire(), milliseconds);
    }
  }

  /** @returns undefined where a lock shows nothing: the server is one of many, has no identity, or a proxy hides it. */
  private async lockOn(session: LockSession): Promise<HeldLock | undefined> {
    const server = session.isOneOfMany ? null : await session.identifyServer();
    if (server === null) {
      return undefined;
    }
    const mark = { name: `tq-worker-${randomUUID()}`, server };
    await session.acquire(mark.name, 0);
    const options = { purpose: 'check the named lock', readOnly: true };
    return (await this.engine.execute((dialect) => isLockVisible(dialect, mark), options)) ? mark : undefined;
  }

  private async onSessionLost(session: LockSession): Promise<void> {
    if (this.session === session && this.isOpen) {
      await this.retake();
    }
  }

  private async release(patience?: number): Promise<void> {
    const { session } = this;
    this.session = undefined;
    if (this.current) {
      this.setMark(undefined);
    }
    await session?.close(patience);
  }

  private setMark(mark: HeldLock | undefined): void {
    this.current = mark;
    if (this.isOpen) {
      this.onChange();
    }
  }
}
