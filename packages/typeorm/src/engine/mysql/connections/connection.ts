import type { QueryRunner } from 'typeorm';

import type { Row } from '../../operation.js';
import { markUnconnected } from '../mysql-errors.js';

/** A connection of TypeORM's MySQL query runner: mysql2's, with callbacks. */
export interface Connection {
  query(sql: string, values: readonly unknown[], callback: Callback): void;
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

/** The connection of a query runner, which takes one from the pool if it has none. */
export async function connectionOf(queryRunner: QueryRunner): Promise<Connection> {
  try {
    return (await queryRunner.connect()) as Connection;
  } catch (error) {
    markUnconnected(error);
    throw error;
  }
}
