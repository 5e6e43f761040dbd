import type { DataSource } from 'typeorm';

import type { ProcessPool } from '../processes/process-pool.js';
import type { VerifyProcess } from '../processes/verify-process.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';
import type { Random } from '../random.js';
import type { VerifyTables } from '../workload/verify-tables.js';
import type { ServerControl } from './server-control.js';

/** The processes that a fault hits, by name, or all of them. */
export type FaultTarget = readonly string[] | 'everyone';

/** A fault in progress. */
export interface ActiveFault {
  /** Records that the fault does no more harm. Further calls have no effect. */
  end(): void;
}

/** What a fault can act on. */
export interface FaultContext {
  /** The processes of the run. Those that end are replaced. */
  readonly processes: ProcessPool;
  /** The type of the database. */
  readonly database: 'mysql' | 'mariadb' | 'better-sqlite3';
  /** The lease of the workers, in ms. */
  readonly lease: number;
  /** The proxy between the processes and the server. Undefined if no chosen fault needs it. */
  readonly proxy: FaultProxy | undefined;
  /** The control of the server. Undefined if the caller of `verify` provides none. */
  readonly server: ServerControl | undefined;
  /** The names of the tables of this run. */
  readonly tables: VerifyTables;
  /** Connects without the proxy, with one connection. The fault must destroy the data source. */
  connect(): Promise<DataSource>;
  /**
   * Records that the fault begins.
   *
   * @param detail what it does this time, for people: `SIGSTOP for 4200 ms`.
   */
  begin(target: FaultTarget, detail: string): ActiveFault;
  /**
   * Picks a running process of a role, at random. A process with an active fault is never picked, because two faults in
   * one process hide each other's effects. Returns undefined if no other process is left.
   */
  pickProcess(role: VerifyProcess['role'], random: Random): VerifyProcess | undefined;
}
