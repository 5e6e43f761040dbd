import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Engine } from '../engine/engine.js';
import { freeLock, isLockTaken, renewLock, takeLock } from '../store/base/locks/lock-lease.js';
import { HOLDER_TIMEOUT, type Hold, LosableHold } from './hold.js';

/** How often the lease is renewed, in ms, and how soon after a failed renewal. */
const RENEWAL_INTERVAL = HOLDER_TIMEOUT / 3;
const RETRY_DELAY = HOLDER_TIMEOUT / 30;
/** After this time without renewal, in ms, the holder gives the lock up: before the database does. */
const GIVE_UP_AFTER = HOLDER_TIMEOUT * 0.9;
/** The delays between two polls of a taken lock, in ms. */
const FIRST_POLL_DELAY = 5;
const MAX_POLL_DELAY = 100;

/** Acquires a lock that is a row with a lease, by the database's clock. Undefined if it is not free in time. */
export async function acquireByLease(engine: Engine, name: string, wait: number): Promise<Hold | undefined> {
  const until = performance.now() + wait;
  const holder = randomUUID();
  const poll = { purpose: 'check whether a lock is free', readOnly: true };
  for (let delay = FIRST_POLL_DELAY; ; delay = Math.min(delay * 2, MAX_POLL_DELAY)) {
    if (!(await engine.execute((dialect) => isLockTaken(dialect, name), poll))) {
      const sentAt = performance.now();
      const take = { purpose: 'acquire a lock' };
      if (await engine.execute((dialect) => takeLock(dialect, name, holder, HOLDER_TIMEOUT), take)) {
        return new LeaseHold(engine, name, holder, sentAt);
      }
    }
    const remaining = until - performance.now();
    if (remaining <= 0) {
      return undefined;
    }
    // The jitter gives all waiting processes the same chance.
    await sleep(Math.min(remaining, delay * (0.5 + Math.random() / 2)));
  }
}

class LeaseHold extends LosableHold {
  private timer: NodeJS.Timeout | undefined;
  private deadline: NodeJS.Timeout | undefined;

  /** @param takenAt a time before the lease began, by the monotonic clock. */
  constructor(
    private readonly engine: Engine,
    name: string,
    private readonly holder: string,
    takenAt: number,
  ) {
    super(name);
    this.holdSince(takenAt);
  }

  override async release(): Promise<boolean> {
    if (this.hasEnded) {
      return false;
    }
    this.end();
    const options = { purpose: 'release a lock' };
    try {
      return await this.engine.execute((dialect) => freeLock(dialect, this.name, this.holder), options);
    } catch {
      // No other process can have it yet, and its lease ends soon.
      return true;
    }
  }

  private holdSince(time: number): void {
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.onLost(), Math.max(0, time + GIVE_UP_AFTER - performance.now()));
    this.renewIn(RENEWAL_INTERVAL);
  }

  private renewIn(milliseconds: number): void {
    this.timer = setTimeout(() => void this.renew(), milliseconds);
  }

  private async renew(): Promise<void> {
    const sentAt = performance.now();
    const options = { purpose: 'renew a lock' };
    let isHeld: boolean | undefined;
    try {
      isHeld = await this.engine.execute(
        (dialect) => renewLock(dialect, this.name, this.holder, HOLDER_TIMEOUT),
        options,
      );
    } catch {
      // Tried again until the deadline.
    }
    if (this.hasEnded) {
      return;
    }
    if (isHeld === undefined) {
      this.renewIn(RETRY_DELAY);
    } else if (isHeld) {
      this.holdSince(sentAt);
    } else {
      this.onLost();
    }
  }

  protected override stopTimers(): void {
    clearTimeout(this.timer);
    clearTimeout(this.deadline);
  }
}
