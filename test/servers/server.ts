/** The engines that need a server. */
export type ServerEngine = 'mariadb' | 'mysql';

/** A running database server that a test run may use. */
export interface Server {
  readonly engine: ServerEngine;
  /** Where it came from, for the report. */
  readonly origin: string;
  /** A URL of an account that may create databases, without a database. */
  readonly url: string;
  /** Stops it, if this run has started it. */
  stop(): Promise<void>;
}

/** One way of getting a server. */
export interface ServerSource {
  readonly name: string;
  /** @returns undefined when there is none this way. @throws when there should be, but it fails. */
  obtain(engine: ServerEngine, log: (message: string) => void): Promise<Server | undefined>;
}
