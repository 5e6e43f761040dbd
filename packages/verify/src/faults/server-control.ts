/** Hands that can be laid on a server, or on one node of a cluster at a time: given by whoever has started it. */
export interface ServerControl {
  /** A URL of an account that may set global variables, past any proxy. It is asked for anew by each fault. */
  readonly adminUrl: string;
  /** Ends it at once, as kill -9 does. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again, with the same data and the same address. Resolves when it answers. */
  start(): Promise<void>;
}
