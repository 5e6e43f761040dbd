import { LockFile } from './lock-file.js';
import type { SqliteDatabase } from './sqlite-database.js';

/**
 * How long a transaction of the application waits at its start, in ms: for a worker that waits, and for one that
 * writes.
 */
const PATIENCE = { turnstile: 100, database: 5_000 } as const;

/**
 * Keeps the writes of workers in all processes apart from the application's transactions in all processes.
 *
 * SQLite refuses at once, whatever the busy timeout, a transaction that has read and then writes while another process
 * writes or, in WAL mode, has written. TypeORM starts all transactions that way, so a worker in another process would
 * make the application's transactions fail.
 *
 * So there are two lock files. The access lock is shared by the open transactions of the application and exclusive for
 * one short write of a worker. A transaction takes it right after its BEGIN, when it holds no other lock, so it cannot
 * deadlock. Every process takes the turnstile before the access lock. A worker keeps the turnstile until it has the
 * access lock, so an application with one transaction after another lets it in between two of them. See
 * docs/decisions/0059.
 */
export class ProcessGate {
  private readonly turnstile: LockFile;
  private readonly access: LockFile;

  constructor(database: SqliteDatabase) {
    this.turnstile = new LockFile(database, '-tablequeue-turnstile');
    this.access = new LockFile(database, '-tablequeue-room');
  }

  /** The application has started a transaction. Never fails: without the lock it is as if there were no worker. */
  beginTransaction(): void {
    if (this.access.isHeld) {
      // A savepoint.
      return;
    }
    // A worker of this process that holds the turnstile lets the transaction of its own process go first.
    this.turnstile.release();
    for (const [lock, acquire] of [
      [this.turnstile, () => this.turnstile.hold(PATIENCE.turnstile)],
      [this.access, () => this.access.share(PATIENCE.database)],
    ] as const) {
      try {
        acquire();
      } catch {
        lock.release();
      }
    }
    this.turnstile.release();
  }

  endTransaction(): void {
    this.access.release();
  }

  /**
   * A worker is about to write. When it is refused it keeps the turnstile for the next try.
   *
   * @throws SQLITE_BUSY when a transaction is open in any process, or another worker writes or waits.
   */
  beginWorkerWrite(): void {
    // No transaction is open in this process. If an error has ended one, TypeORM has not reported it.
    this.endTransaction();
    if (!this.turnstile.isHeld) {
      this.turnstile.hold(0);
    }
    this.access.hold(0);
  }

  /** A worker stops waiting. */
  cancelWorkerWrite(): void {
    this.turnstile.release();
  }

  /** A worker has written. */
  endWorkerWrite(): void {
    this.access.release();
    this.turnstile.release();
  }

  /** Closes the files. */
  dispose(): void {
    this.access.close();
    this.turnstile.close();
  }
}
