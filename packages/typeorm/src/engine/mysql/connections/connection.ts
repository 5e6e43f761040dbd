import type { QueryRunner } from 'typeorm';

import type { Row } from '../../operation.js';
import { noteUnconnected } from '../mysql-errors.js';

/** A connection as TypeORM's MySQL query runner hands it out: mysql2's, with callbacks. */
export interface Connection {
  query(sql: string, values: readonly unknown[], callback: Callback): void;
  /** Prepares the statement where it is not yet. */
  execute(sql: string, values: readonly unknown[], callback: Callback): void;
  unprepare(sql: string): void;
  destroy(): void;
  once(event: 'end' | 'error', listener: () => void): void;
}

/** What became of a statement. */
export type Callback = (error: (Error & { readonly errno?: number }) | null, answer: Answer) => void;

/** The rows of a SELECT, or what another statement has done. */
export type Answer = readonly Row[] | { readonly affectedRows?: number };

/** The connection of a query runner, which takes one from the pool where it has none. */
export async function connectionOf(queryRunner: QueryRunner): Promise<Connection> {
  try {
    return (await queryRunner.connect()) as Connection;
  } catch (error) {
    noteUnconnected(error);
    throw error;
  }
}
