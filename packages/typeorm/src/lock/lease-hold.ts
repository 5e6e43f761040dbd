import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Engine } from '../engine/engine.js';
import { freeLock, isLockTaken, renewLock, takeLock } from '../store/base/lock-lease.js';
import { type Hold, LosableHold, HOLDER_TIMEOUT } from './hold.js';

/** Renewed this often, in ms, and after a failure. */
const RENEWAL = HOLDER_TIMEOUT / 3;
const AFTER_FAILURE = HOLDER_TIMEOUT / 30;
/** From here on the holder gives it up by itself, in ms: before the database does. */
const GIVEN_UP = HOLDER_TIMEOUT * 0.9;
/** How long to wait before looking again, in ms: at first, and at most. */
const FIRST_LOOK = 5;
const SLOWEST_LOOK = 100;

/** Takes a lock that is a row with a lease by the database's clock. */
export async function takeByLease(engine: Engine, name: string, wait: number): Promise<Hold | undefined> {
  const until = performance.now() + wait;
  const holder = randomUUID();
  for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 2, SLOWEST_LOOK)) {
    const look = { purpose: 'look for a lock', readOnly: true };
    if (!(await engine.execute((dialect) => isLockTaken(dialect, name), look))) {
      const sentAt = performance.now();
      const take = () =>
        engine.execute((dialect) => takeLock(dialect, name, holder, HOLDER_TIMEOUT), { purpose: 'take a lock' });
      if (await take()) {
        return new LeaseHold(engine, name, holder, sentAt);
      }
    }
    const left = until - performance.now();
    if (left <= 0) {
      return undefined;
    }
    // The jitter keeps those that wait from coming in the same order each time.
    await sleep(Math.min(left, pause * (0.5 + Math.random() / 2)));
  }
}

class LeaseHold extends LosableHold {
  private timer: NodeJS.Timeout | undefined;
  private deadline: NodeJS.Timeout | undefined;

  /** @param takenAt by the monotonic clock: no later than the lease began. */
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
    if (this.isOver) {
      return false;
    }
    this.end();
    const free = { purpose: 'free a lock' };
    try {
      return await this.engine.execute((dialect) => freeLock(dialect, this.name, this.holder), free);
    } catch {
      // Nobody can have taken it yet, and it ends by itself.
      return true;
    }
  }

  private holdSince(time: number): void {
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.onLost(), Math.max(0, time + GIVEN_UP - performance.now()));
    this.renewIn(RENEWAL);
  }

  private renewIn(milliseconds: number): void {
    this.timer = setTimeout(() => void this.renew(), milliseconds);
  }

  private async renew(): Promise<void> {
    const sentAt = performance.now();
    const renewal = { purpose: 'renew a lock' };
    let isHeld: boolean | undefined;
    try {
      isHeld = await this.engine.execute((dialect) => renewLock(dialect, this.name, this.holder, HOLDER_TIMEOUT), renewal);
    } catch {
      // Tried again until the deadline tells the holder.
    }
    if (this.isOver) {
      return;
    }
    if (isHeld === undefined) {
      this.renewIn(AFTER_FAILURE);
    } else if (isHeld) {
      this.holdSince(sentAt);
    } else {
      this.onLost();
    }
  }

  protected override stopWatching(): void {
    clearTimeout(this.timer);
    clearTimeout(this.deadline);
  }
}
