/** Controls a server, or one node of a cluster at a time. The program that started the server provides it. */
export interface ServerControl {
  /** The URL of an account that may set global variables, without any proxy. Each fault reads it again. */
  readonly adminUrl: string;
  /** Kills the server, as `kill -9` does. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts the server again, with the same data and address. Resolves when it accepts connections. */
  start(): Promise<void>;
  /**
   * Sets the clock of the server, while it runs. Without it there are no faults of the clock.
   *
   * @param ms how far it is ahead of the right time; negative if it is behind, 0 for the right time.
   */
  shiftClock?(ms: number): Promise<void>;
}
