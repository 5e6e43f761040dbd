import type { DataSource } from 'typeorm';

import type { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPool } from '../processes/process-pool.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';
import type { BenchTables } from '../workload/bench-tables.js';
import type { ServerControl } from './server-control.js';

/** Whom a fault hits: processes, by their names, or all of them. */
export type FaultTarget = readonly string[] | 'everyone';

/** A fault that has begun. */
export interface ActiveFault {
  /** It does no harm any more. Idempotent. */
  end(): void;
}

/** What a fault finds, and may lay hands on. */
export interface FaultContext {
  /** The processes that live at this moment, by role; those that end are replaced. */
  readonly processes: ProcessPool;
  /** The kind of the database. */
  readonly database: 'mysql' | 'mariadb' | 'better-sqlite3';
  /** The lease of the workers, in ms. */
  readonly lease: number;
  /** Between the processes and the server: there where a selected fault needs it. */
  readonly proxy: FaultProxy | undefined;
  /** There where whoever calls `verify` has given one. */
  readonly server: ServerControl | undefined;
  /** The names of the tables of this run. */
  readonly tables: BenchTables;
  /** A data source beside the proxy, with one connection. Whoever asks for it destroys it. */
  connect(): Promise<DataSource>;
  /**
   * Notes in the journal of faults that one begins.
   *
   * @param detail what it does this time, for people: `SIGSTOP for 4200 ms`.
   */
  record(hit: FaultTarget, detail: string): ActiveFault;
  /** A living process of a role that no open record has hit, if there is one: two faults at once in one process tell less. */
  pickProcess(role: BenchProcess['role'], draw: <T>(all: readonly T[]) => T | undefined): BenchProcess | undefined;
}
