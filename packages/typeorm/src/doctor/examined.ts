import type { DataSource, QueryRunner } from 'typeorm';

import type { Engine } from '../engine/engine.js';
import type { ServerVersion } from '../engine/mysql/server/server-version.js';

/** What the doctor goes by. */
export interface DoctorLimits {
  /** The largest payload of the application's queue, in bytes. */
  readonly maxPayloadBytes: number;
  /** How long a transaction may be open, in ms. */
  readonly maxTransactionAge: number;
}

/** A database that is examined. */
export interface Examined {
  readonly dataSource: DataSource;
  /** Of a server that of a worker, with sessions of its own. */
  readonly engine: Engine;
  /** A session as the application gets it. */
  readonly session: QueryRunner;
  readonly limits: DoctorLimits;
  /** Runs a statement in that session and returns its rows. */
  readonly query: <Row>(sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;
}

/** A MySQL or MariaDB server that is examined. */
export interface ExaminedServer extends Examined {
  readonly version: ServerVersion;
  /** Whom the application logs in as, as it stands in a GRANT. */
  readonly account: string;
  /** The database that the session is in, escaped. */
  readonly database: string;
  /** The variables of the application's session, by their names in lower case. */
  readonly variables: ReadonlyMap<string, string>;
  /** The server's own, which new sessions begin with. */
  readonly globals: ReadonlyMap<string, string>;
  readonly status: ReadonlyMap<string, string>;
}

/** A number among variables; NaN where there is none of this name. */
export function numberOf(values: ReadonlyMap<string, string>, name: string): number {
  return Number(values.get(name) ?? Number.NaN);
}
