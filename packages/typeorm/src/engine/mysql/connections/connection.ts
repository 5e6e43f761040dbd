import type { QueryRunner } from 'typeorm';

import { UnsupportedSessionError } from '../../../errors/index.js';
import type { Row } from '../../operation.js';
import { markUnconnected } from '../mysql-errors.js';

/** A connection of TypeORM's MySQL query runner: mysql2's, with callbacks. */
export interface Connection {
  readonly config: { readonly typeCast?: unknown };
  /** The number of its session in the server. */
  readonly threadId: number;
  query(sql: string | object, values: readonly unknown[], callback: Callback): void;
  /** Prepares the statement where it is not yet. */
  execute(sql: string, values: readonly unknown[], callback: Callback): void;
  unprepare(sql: string): void;
  destroy(): void;
  once(event: 'end' | 'error', listener: () => void): void;
}

/** Receives the result of a statement. */
export type Callback = (error: (Error & { readonly errno?: number }) | null, answer: Answer) => void;

/** The rows of a SELECT, or the number of rows that another statement has changed. */
export type Answer = readonly Row[] | { readonly affectedRows?: number };

/**
 * The connection of a query runner, which takes one from the pool if it has none.
 *
 * @throws UnsupportedSessionError if it belongs to the driver mysql, which TypeORM 0.3 prefers.
 */
export async function connectionOf(queryRunner: QueryRunner): Promise<Connection> {
  const connection = await connect(queryRunner);
  if (typeof connection.execute !== 'function') {
    throw new UnsupportedSessionError(
      'the driver mysql',
      'it cannot prepare statements',
      "Install mysql2 and set connectorPackage: 'mysql2' in the options of the data source.",
    );
  }
  return connection;
}

async function connect(queryRunner: QueryRunner): Promise<Connection> {
  try {
    return (await queryRunner.connect()) as Connection;
  } catch (error) {
    markUnconnected(error);
    throw error;
  }
}
