import type { ServerControl } from '@tablequeue/verify';

/**
 * The engines that need a server:
 *
 * - `mariadb`: MariaDB 10.11.
 * - `mariadb118`: MariaDB 11.8, which isolates snapshots by default.
 * - `mysql`: the current MySQL.
 * - `mysql56`: MySQL 5.6, which has no SKIP LOCKED.
 */
export type ServerEngine = 'mariadb' | 'mariadb118' | 'mysql' | 'mysql56';

/**
 * What a server is for:
 *
 * - `tests`: without durability, because these tests kill workers and not the server.
 * - `soak`: the same, but on a disk, because a soak runs for hours.
 * - `bench`: with the durability of the server's defaults: it flushes each commit to the disk.
 * - `sick`: configured as badly as possible, for the doctor.
 * - `kill`: loses no commit when it is killed, even where the defaults would.
 * - `tls`: with a certificate.
 * - `small`: with space for 48 MB of tables.
 */
export type ServerPurpose = 'tests' | 'soak' | 'bench' | 'sick' | 'kill' | 'tls' | 'small';

/** A running database server. */
export interface Server {
  readonly engine: ServerEngine;
  /** Where it came from, for the report. */
  readonly origin: string;
  /** A URL of an account that may create databases, without a database. */
  readonly url: string;
  /** The certificate of the authority that signed the server's certificate, for the purpose `tls`. */
  readonly ca?: string;
  /** The process of the server, if this run started it as a process of this machine. */
  readonly processId?: number;
  /** Kills the server and starts it again, if this run started it as a process of this machine. */
  readonly control?: ServerControl;
  /** Stops the server, if this run started it. */
  stop(): Promise<void>;
}

/** One way to get a server. */
export interface ServerSource {
  readonly name: string;
  /** @returns undefined when this source has no server. @throws Error when the source has a server that fails. */
  obtain(engine: ServerEngine, log: (message: string) => void, purpose: ServerPurpose): Promise<Server | undefined>;
}
