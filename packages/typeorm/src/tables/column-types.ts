import type { EntitySchemaColumnOptions } from 'typeorm';

import { uuidFromBytes, uuidToBytes } from '../definition/job-id.js';

/** The TypeORM driver types that the queue supports. */
export type QueueDatabaseType = 'mysql' | 'mariadb' | 'better-sqlite3';

/** The kinds of columns in the tables. */
export interface ColumnTypes {
  /** A UUID: 16 bytes in the table, text in the entity. */
  readonly id: EntitySchemaColumnOptions;
  /** A name compared byte by byte, whatever the database's default collation. */
  name(length: number): EntitySchemaColumnOptions;
  /** Text from the application, compared exactly. */
  text(length: number): EntitySchemaColumnOptions;
  /** Text of any length. */
  readonly longText: EntitySchemaColumnOptions;
  /** One of a few words. */
  oneOf(words: readonly string[]): EntitySchemaColumnOptions;
  /** A whole number from 0 to 2^32 - 1. */
  readonly count: EntitySchemaColumnOptions;
  /** A small whole number, negative ones included. */
  readonly rank: EntitySchemaColumnOptions;
  /** A whole number from 0 to 255. */
  readonly kind: EntitySchemaColumnOptions;
  /** A whole number from 0 to 65,535. */
  readonly version: EntitySchemaColumnOptions;
  /** A whole number that the database counts up. */
  readonly counter: EntitySchemaColumnOptions;
  /** Milliseconds since 1970 by the database's clock, and other numbers up to 2^53. */
  readonly time: EntitySchemaColumnOptions;
}

const idTransformer = {
  from: (value: Buffer | null) => value && uuidFromBytes(value),
  to: (value: string | null | undefined) => value && uuidToBytes(value),
};

/** Drivers return a BIGINT as a string or a number; ours stay below 2^53. */
const timeTransformer = {
  from: (value: unknown) => (value === null || value === undefined ? value : Number(value)),
  to: (value: unknown) => value,
};

const mysql: ColumnTypes = {
  id: { type: 'binary', length: 16, transformer: idTransformer },
  name: (length) => ({ type: 'varchar', length, charset: 'ascii', collation: 'ascii_bin' }),
  text: (length) => ({ type: 'varchar', length, charset: 'utf8mb4', collation: 'utf8mb4_bin' }),
  longText: { type: 'longtext', charset: 'utf8mb4', collation: 'utf8mb4_bin' },
  // No character set: TypeORM would write it before the words, which is invalid SQL.
  oneOf: (words) => ({ type: 'enum', enum: [...words] }),
  count: { type: 'int', unsigned: true },
  rank: { type: 'smallint' },
  kind: { type: 'tinyint', unsigned: true },
  version: { type: 'smallint', unsigned: true },
  counter: { type: 'bigint', generated: 'increment', transformer: timeTransformer },
  time: { type: 'bigint', transformer: timeTransformer },
};

const sqlite: ColumnTypes = {
  id: { type: 'blob', transformer: idTransformer },
  name: (length) => ({ type: 'varchar', length }),
  text: (length) => ({ type: 'varchar', length }),
  longText: { type: 'text' },
  oneOf: () => ({ type: 'varchar', length: 16 }),
  count: { type: 'integer' },
  rank: { type: 'integer' },
  kind: { type: 'integer' },
  version: { type: 'integer' },
  counter: { type: 'integer', generated: 'increment' },
  time: { type: 'bigint', transformer: timeTransformer },
};

/** The column types of each kind of database. */
export const columnTypes: Readonly<Record<QueueDatabaseType, ColumnTypes>> = {
  mysql,
  mariadb: mysql,
  'better-sqlite3': sqlite,
};
