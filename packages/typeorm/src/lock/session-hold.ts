import type { LockSession } from '../engine/lock-session.js';
import { type Hold, LosableHold } from './hold.js';

/**
 * How often the holder asks the server for its lock, in ms. Together with the time to wait for an answer it is far
 * below `HOLDER_TIMEOUT`, so the holder detects a dead connection before the server frees the lock.
 */
const HEARTBEAT = 5_000;

/**
 * Acquires a lock on a session, and closes the session with it. Undefined if the lock is not free in time.
 *
 * @param scope separates the queues in one database.
 */
export async function acquireOnSession(
  session: LockSession,
  scope: string,
  name: string,
  wait: number,
): Promise<Hold | undefined> {
  let serverName: string | undefined;
  try {
    const wanted = await session.nameOnServer(scope, name);
    serverName = (await session.acquire(wanted, wait)) ? wanted : undefined;
  } finally {
    if (serverName === undefined) {
      await session.close();
    }
  }
  return serverName === undefined ? undefined : new SessionHold(session, serverName, name);
}

class SessionHold extends LosableHold {
  private readonly heartbeat: NodeJS.Timeout;
  private isChecking = false;

  constructor(
    private readonly session: LockSession,
    private readonly serverName: string,
    name: string,
  ) {
    super(name);
    this.heartbeat = setInterval(() => void this.check(), HEARTBEAT);
    session.onEnd(() => this.onLost());
  }

  override async release(): Promise<boolean> {
    if (this.hasEnded) {
      return false;
    }
    this.end();
    try {
      return await this.session.release(this.serverName);
    } catch {
      // The connection broke, and the lock with it.
      return false;
    } finally {
      await this.session.close();
    }
  }

  private async check(): Promise<void> {
    if (this.isChecking) {
      return;
    }
    this.isChecking = true;
    const isHeld = await this.session.holds(this.serverName).catch(() => false);
    this.isChecking = false;
    if (!isHeld) {
      this.onLost();
    }
  }

  protected override onLost(): void {
    if (!this.hasEnded) {
      super.onLost();
      void this.session.close();
    }
  }

  protected override stopTimers(): void {
    clearInterval(this.heartbeat);
  }
}
