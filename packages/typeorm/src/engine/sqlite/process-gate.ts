import { LockFile } from './lock-file.js';
import type { SqliteDatabase } from './sqlite-database.js';

/** How long a transaction of the application waits at its beginning, in ms: for a worker in line, and for one at work. */
const PATIENCE = { turnstile: 100, room: 5_000 } as const;

/**
 * Keeps the workers of all processes out of the application's transactions in all processes.
 *
 * SQLite refuses at once, whatever the busy timeout, a transaction that has read and now wants to write while another
 * process writes or, in WAL mode, has written. TypeORM begins all transactions that way, so a worker in another process
 * would make the application's transactions fail now and then.
 *
 * So there is a room, shared by the open transactions of the application, exclusive for one short write of a worker. A
 * transaction enters right after its BEGIN, when it holds no other lock: waiting there cannot become a deadlock. And
 * there is a turnstile before the room, through which everybody goes alone. A worker stays in it until the room is
 * empty, so an application that opens one transaction after another lets it in between two of them.
 */
export class ProcessGate {
  private readonly turnstile: LockFile;
  private readonly room: LockFile;

  constructor(database: SqliteDatabase) {
    this.turnstile = new LockFile(database, '-tablequeue-turnstile');
    this.room = new LockFile(database, '-tablequeue-room');
  }

  /** The application has begun a transaction. Never fails: without the gate it is as it would be without a worker. */
  transactionBegins(): void {
    // If it is this process whose worker stands in the turnstile, it lets its own transaction pass.
    this.turnstile.release();
    for (const [lock, enter] of [
      [this.turnstile, () => this.turnstile.hold(PATIENCE.turnstile)],
      [this.room, () => this.room.share(PATIENCE.room)],
    ] as const) {
      try {
        enter();
      } catch {
        lock.release();
      }
    }
    this.turnstile.release();
  }

  transactionEnds(): void {
    this.room.release();
  }

  /**
   * A worker wants to write. When it is refused it keeps its place in the turnstile for the next try.
   *
   * @throws SQLITE_BUSY when a transaction is open anywhere, or another worker writes or stands in line.
   */
  workerEnters(): void {
    if (!this.turnstile.isHeld) {
      this.turnstile.hold(0);
    }
    this.room.hold(0);
  }

  /** A worker waits no longer. */
  workerGivesUp(): void {
    this.turnstile.release();
  }

  /** A worker has written. */
  workerLeaves(): void {
    this.room.release();
    this.turnstile.release();
  }

  /** Closes the files. */
  dispose(): void {
    this.room.close();
    this.turnstile.close();
  }
}
