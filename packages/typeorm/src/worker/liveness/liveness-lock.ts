import { randomUUID } from 'node:crypto';

import { LONGEST_TIMER } from '../../duration.js';
import type { Engine } from '../../engine/engine.js';
import type { LockSession } from '../../engine/lock-session.js';
import { type QueueLogger, logError } from '../../logger.js';
import { type HeldLock, isLockVisible } from '../../store/workers/missing-workers.js';

/** How long to wait before taking another lock, in ms: at first, and at most. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;
/** The same where locks tell nothing, in ms: it may have been a moment between two servers. */
const WITHOUT_USE = 300_000;

/**
 * The named lock that a worker holds on a connection of its own while it lives, so that others see at once when its
 * process has died. Where such locks tell nothing, or while there is no connection for one, the lease alone decides.
 *
 * Each connection takes a lock of another name: the server may keep the one before for as long as it does not know that
 * its connection has died.
 */
export class LivenessLock {
  private session: LockSession | undefined;
  private current: HeldLock | undefined;
  private taking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private wait = FIRST_WAIT;
  private hasSaidSo = false;
  private isOpen = false;

  /** @param onChange told that there is another lock, or none any more. */
  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
    private readonly onChange: () => void,
  ) {}

  /** The lock that is held; undefined while there is none. */
  get mark(): HeldLock | undefined {
    return this.current;
  }

  /** Takes a lock, if there can be one. Never fails. */
  async open(): Promise<void> {
    this.isOpen = true;
    await this.take();
  }

  /** Frees the lock. Idempotent. */
  async close(): Promise<void> {
    this.isOpen = false;
    clearTimeout(this.timer);
    await this.taking;
    await this.drop();
  }

  /** The server does not know of the lock any more: take another one. */
  async renew(): Promise<void> {
    if (this.current) {
      await this.drop();
      await this.taking;
      await this.take();
    }
  }

  private take(): Promise<void> {
    this.taking ??= this.takeOnce().finally(() => {
      this.taking = undefined;
    });
    return this.taking;
  }

  private async takeOnce(): Promise<void> {
    if (!this.isOpen) {
      return;
    }
    try {
      // The worker asks its own connections for the lock, so this one is never heard of.
      this.session = await this.engine.openLockSession?.(LONGEST_TIMER);
      if (this.session) {
        await this.takeOn(this.session);
      }
    } catch (error) {
      await this.drop();
      if (this.isOpen) {
        logError(this.logger, 'The worker has no named lock for now, its lease alone tells that it lives', error);
        this.takeIn(this.wait);
        this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
      }
    }
  }

  private async takeOn(session: LockSession): Promise<void> {
    const mark = await this.lockOn(session);
    if (!mark) {
      if (!this.hasSaidSo) {
        this.logger.log('Named locks tell nothing on this server: leases alone tell which workers live.');
        this.hasSaidSo = true;
      }
      await this.drop();
      this.takeIn(WITHOUT_USE);
      return;
    }
    this.wait = FIRST_WAIT;
    this.change(mark);
    session.onEnd(() => void this.lose(session));
  }

  private takeIn(milliseconds: number): void {
    if (this.isOpen) {
      this.timer = setTimeout(() => void this.take(), milliseconds);
    }
  }

  /** @returns undefined where a lock tells nothing: the server is one of many, does not say who it is, or is hidden. */
  private async lockOn(session: LockSession): Promise<HeldLock | undefined> {
    const server = session.isOneOfMany ? null : await session.identifyServer();
    if (server === null) {
      return undefined;
    }
    const mark = { name: `tq-worker-${randomUUID()}`, server };
    await session.acquire(mark.name, 0);
    const look = { purpose: 'look for the lock', readOnly: true };
    return (await this.engine.execute((dialect) => isLockVisible(dialect, mark), look)) ? mark : undefined;
  }

  private async lose(session: LockSession): Promise<void> {
    if (this.session === session && this.isOpen) {
      await this.renew();
    }
  }

  private async drop(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    if (this.current) {
      this.change(undefined);
    }
    await session?.close();
  }

  private change(mark: HeldLock | undefined): void {
    this.current = mark;
    if (this.isOpen) {
      this.onChange();
    }
  }
}
