/** How the names in a version's DDL are written: prefixed and escaped. */
export interface SchemaNames {
  readonly table: (name: string) => string;
  readonly index: (name: string) => string;
}

/** The statements of one version on one kind of database. */
export interface SchemaSteps {
  readonly up: (names: SchemaNames) => string[];
  readonly down: (names: SchemaNames) => string[];
}

/** One version of the tables. */
export interface SchemaVersion {
  /** The tables it has added: an installed version is known by them. */
  readonly tables: readonly string[];
  /** MySQL and MariaDB. */
  readonly mysql: SchemaSteps;
  readonly sqlite: SchemaSteps;
}
