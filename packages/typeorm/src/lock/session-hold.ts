import { createHash } from 'node:crypto';

import type { LockSession } from '../engine/lock-session.js';
import { type Hold, LosableHold } from './hold.js';

/**
 * How often the holder lets the server hear of it, and asks for its lock, in ms. Together with the wait for an answer it
 * is far below the silence after which the server frees the lock: the holder knows of a dead connection first.
 */
const HEARTBEAT = 5_000;

/** Takes a lock on a session, and closes the session with it. */
export async function takeOnSession(
  session: LockSession,
  scope: string,
  name: string,
  wait: number,
): Promise<Hold | undefined> {
  const serverName = nameOnServer(session.database, scope, name);
  let isGranted = false;
  try {
    isGranted = await session.acquire(serverName, wait);
  } finally {
    if (!isGranted) {
      await session.close();
    }
  }
  return isGranted ? new SessionHold(session, serverName, name) : undefined;
}

/**
 * The server has one name space for all of its databases, of 64 letters; whether their case counts differs between
 * servers.
 *
 * @param scope tells queues in one database apart.
 */
function nameOnServer(database: string, scope: string, name: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([database, scope, name]))
    .digest('hex');
  return `tq-lock-${hash.slice(0, 48)}`;
}

class SessionHold extends LosableHold {
  private readonly heartbeat: NodeJS.Timeout;
  private isAsking = false;

  constructor(
    private readonly session: LockSession,
    private readonly serverName: string,
    name: string,
  ) {
    super(name);
    this.heartbeat = setInterval(() => void this.ask(), HEARTBEAT);
    session.onEnd(() => this.lose());
  }

  override async release(): Promise<boolean> {
    if (this.isOver) {
      return false;
    }
    this.end();
    try {
      return await this.session.release(this.serverName);
    } catch {
      // It went with its connection.
      return false;
    } finally {
      await this.session.close();
    }
  }

  private async ask(): Promise<void> {
    if (this.isAsking) {
      return;
    }
    this.isAsking = true;
    const isHeld = await this.session.holds(this.serverName).catch(() => false);
    this.isAsking = false;
    if (!isHeld) {
      this.lose();
    }
  }

  protected override lose(): void {
    if (!this.isOver) {
      super.lose();
      void this.session.close();
    }
  }

  protected override stopWatching(): void {
    clearInterval(this.heartbeat);
  }
}
