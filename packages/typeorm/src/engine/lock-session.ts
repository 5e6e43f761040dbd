/**
 * A connection of its own on which named locks of the server are held. They are gone when it is: at its end, when the
 * process dies, when the server restarts.
 */
export interface LockSession {
  /** Whether the server keeps its named locks to itself while others write to the same tables. */
  readonly isOneOfMany: boolean;

  /** What the server calls a lock of this database: see `Dialect.lockName`. */
  nameOnServer(scope: string, name: string): Promise<string>;
  /**
   * Takes a lock.
   *
   * @param wait how long to wait for it, in ms.
   * @returns whether it was granted.
   */
  acquire(name: string, wait: number): Promise<boolean>;
  /** Frees a lock. @returns whether it was held. */
  release(name: string): Promise<boolean>;
  /** Asks the server whether this session holds a lock. */
  holds(name: string): Promise<boolean>;
  /** What stands for this server and this run of it: see `Dialect.server`. */
  identifyServer(): Promise<number | null>;
  /** Called once when the session has ended by itself, and its locks with it; at once if it has already. */
  onEnd(listener: () => void): void;
  /** Ends it. Idempotent, and never fails. */
  close(): Promise<void>;
}
