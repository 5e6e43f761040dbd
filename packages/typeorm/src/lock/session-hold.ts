import type { LockSession } from '../engine/lock-session.js';
import { type Hold, LosableHold } from './hold.js';

/**
 * How often the holder lets the server hear of it, and asks for its lock, in ms. Together with the wait for an answer it
 * is far below the silence after which the server frees the lock: the holder knows of a dead connection first.
 */
const HEARTBEAT = 5_000;

/**
 * Takes a lock on a session, and closes the session with it.
 *
 * @param scope tells queues in one database apart.
 */
export async function takeOnSession(
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
  private isAsking = false;

  constructor(
    private readonly session: LockSession,
    private readonly serverName: string,
    name: string,
  ) {
    super(name);
    this.heartbeat = setInterval(() => void this.ask(), HEARTBEAT);
    session.onEnd(() => this.onLost());
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
      this.onLost();
    }
  }

  protected override onLost(): void {
    if (!this.isOver) {
      super.onLost();
      void this.session.close();
    }
  }

  protected override stopWatching(): void {
    clearInterval(this.heartbeat);
  }
}
