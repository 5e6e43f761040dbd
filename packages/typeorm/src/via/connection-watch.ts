/** Statements that end the transaction of a connection. A ROLLBACK TO a savepoint does not. SQLite also has END. */
const ENDS = /^\s*(?:COMMIT|END\b|ROLLBACK(?!\s+(?:WORK\s+)?TO\b)|BEGIN|START\s+TRANSACTION)/i;

/** Whether a statement ends a transaction, or starts another one. */
export function endsTransaction(text: unknown): text is string {
  return typeof text === 'string' && ENDS.test(text);
}

type Listener = (committed: boolean) => void;

/** Observes the statements that end transactions on a connection of the application. */
export class ConnectionWatch {
  private static readonly watches = new WeakMap<object, ConnectionWatch>();

  /** How many transactions have ended since the connection is observed, or are about to. */
  ended = 0;
  private listeners: Listener[] = [];

  /** @param observe calls `beforeStatement` for each statement of the connection, from now on. Called once. */
  static of<T extends object>(
    connection: T,
    observe: (watch: ConnectionWatch, connection: T) => void,
  ): ConnectionWatch {
    let watch = ConnectionWatch.watches.get(connection);
    if (!watch) {
      watch = new ConnectionWatch();
      ConnectionWatch.watches.set(connection, watch);
      observe(watch, connection);
    }
    return watch;
  }

  /** Calls the listener once, when the present transaction has ended. */
  onEnd(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** @returns a function to call when the statement was answered; undefined if it does not end a transaction. */
  beforeStatement(text: unknown): (() => void) | undefined {
    if (!endsTransaction(text)) {
      return undefined;
    }
    this.ended++;
    const listeners = this.listeners;
    this.listeners = [];
    const committed = !/^\s*ROLLBACK/i.test(text);
    return () => listeners.forEach((listener) => listener(committed));
  }
}
