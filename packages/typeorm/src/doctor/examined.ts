import type { DataSource, QueryRunner } from 'typeorm';

import type { Engine } from '../engine/engine.js';
import type { ServerVersion } from '../engine/mysql/server/server-version.js';
import type { Fragment } from '../engine/sql.js';

/** The limits that the application defines. */
export interface DoctorLimits {
  /** The largest payload of the application's queue, in bytes. */
  readonly maxPayloadBytes: number;
  /** How long a transaction may be open, in ms. */
  readonly maxTransactionAge: number;
}

/** A database to examine. */
export interface Examined {
  readonly dataSource: DataSource;
  /** On a server, the engine of a worker, with sessions of its own. */
  readonly engine: Engine;
  /** A session of the application. */
  readonly session: QueryRunner;
  readonly limits: DoctorLimits;
  /** Runs a statement in that session and returns its rows. */
  readonly query: <Row>(statement: Fragment) => Promise<Row[]>;
}

/** A MySQL or MariaDB server to examine. */
export interface ExaminedServer extends Examined {
  readonly version: ServerVersion;
  /** The application's account, in the form of a GRANT. */
  readonly account: string;
  /** The database of the session, escaped. */
  readonly database: string;
  /** The variables of the application's session, by name in lower case. */
  readonly variables: ReadonlyMap<string, string>;
  /** The server's global variables, with which new sessions start. */
  readonly globals: ReadonlyMap<string, string>;
  readonly status: ReadonlyMap<string, string>;
}

/** A variable as a number; NaN if it does not exist. */
export function numberOf(values: ReadonlyMap<string, string>, name: string): number {
  return Number(values.get(name) ?? Number.NaN);
}
