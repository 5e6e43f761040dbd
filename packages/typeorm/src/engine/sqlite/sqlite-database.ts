import type { DataSource } from 'typeorm';

import type { Row } from '../operation.js';

/** The members of a better-sqlite3 database that the queue uses. */
export interface SqliteDatabase {
  readonly name: string;
  readonly open: boolean;
  readonly inTransaction: boolean;
  readonly memory: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  pragma(source: string, options?: { simple: boolean }): unknown;
  close(): unknown;
}

/** The members of a prepared statement that the queue uses. */
export interface SqliteStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  all(...parameters: unknown[]): Row[];
  run(...parameters: unknown[]): { readonly changes: number };
}

/** The one connection that TypeORM's better-sqlite3 driver gives to a whole application. */
export function sqliteDatabaseOf(dataSource: DataSource): SqliteDatabase {
  return (dataSource.driver as unknown as { databaseConnection: SqliteDatabase }).databaseConnection;
}
