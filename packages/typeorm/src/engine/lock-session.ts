/**
 * A connection that holds named locks of the server. The locks are freed when it ends: when it is closed, when the
 * process dies, when the server restarts.
 */
export interface LockSession {
  /** Whether other servers accept writes to the same tables but do not share these locks. */
  readonly isOneOfMany: boolean;

  /** The server's name for a lock of this database: see `Dialect.lockName`. */
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
  /** The number that identifies this server and its present run: see `Dialect.server`. */
  identifyServer(): Promise<number | null>;
  /** Calls the listener once when the session ends without `close`; at once if it has ended already. */
  onEnd(listener: () => void): void;
  /**
   * Closes the session. Idempotent, never fails.
   *
   * @param patience how long to wait for the server, in ms. Default: 5 s.
   */
  close(patience?: number): Promise<void>;
}
