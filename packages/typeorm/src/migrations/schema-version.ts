import type { Fragment } from '../engine/sql.js';

/** The names in the DDL of a version: with prefix and escaped. */
export interface SchemaNames {
  readonly table: (name: string) => Fragment;
  readonly index: (name: string) => Fragment;
}

/** The statements of one version on one kind of database. */
export interface SchemaSteps {
  readonly up: (names: SchemaNames) => Fragment[];
  readonly down: (names: SchemaNames) => Fragment[];
}

/** One version of the tables. */
export interface SchemaVersion {
  /** The tables that it adds. With the columns they identify the installed version. */
  readonly tables: readonly string[];
  /** The columns that it adds to tables of older versions, as `table.column`. Default: none. */
  readonly columns?: readonly string[];
  /** MySQL and MariaDB. */
  readonly mysql: SchemaSteps;
  readonly sqlite: SchemaSteps;
}
