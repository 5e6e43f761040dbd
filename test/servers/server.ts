import type { ServerControl } from '@tablequeue/verify';

/** The engines that need a server. `mysql56` is MySQL 5.6, which has no SKIP LOCKED. */
export type ServerEngine = 'mariadb' | 'mysql' | 'mysql56';

/**
 * What a server is for. Tests do without durability: what they try survives the death of workers, not of the server. So
 * does a soak, which runs for hours, and so not in memory.
 * The bench runs with the durability the servers come with, every commit flushed to the disk. A sick one is set up as
 * badly as can be: for the doctor. One to kill loses no commit, also where its engine comes with less. One for TLS has a
 * certificate. A small one has room for 48 MB.
 */
export type ServerPurpose = 'tests' | 'soak' | 'bench' | 'sick' | 'kill' | 'tls' | 'small';

/** A running database server that a run may use. */
export interface Server {
  readonly engine: ServerEngine;
  /** Where it came from, for the report. */
  readonly origin: string;
  /** A URL of an account that may create databases, without a database. */
  readonly url: string;
  /** The certificate of who has signed the server's, of one for TLS. */
  readonly ca?: string;
  /** The server's process, if this run has started it as a process of this machine. */
  readonly processId?: number;
  /** Kills it and starts it again, if this run has started it as a process of this machine. */
  readonly control?: ServerControl;
  /** Stops it, if this run has started it. */
  stop(): Promise<void>;
}

/** One way of getting a server. */
export interface ServerSource {
  readonly name: string;
  /** @returns undefined when there is none this way. @throws when there should be, but it fails. */
  obtain(engine: ServerEngine, log: (message: string) => void, purpose: ServerPurpose): Promise<Server | undefined>;
}
