import type { DataSource } from 'typeorm';

import type { Row } from '../operation.js';

/** What the queue uses of a better-sqlite3 database. */
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

/** What the queue uses of a prepared statement. */
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
