import type { Fragment } from './sql.js';

export type Row = Readonly<Record<string, unknown>>;

export interface StatementResult {
  readonly rows: readonly Row[];
  /** How many rows it matched; on MySQL also rows whose values did not change. */
  readonly affected: number;
}

/**
 * Statements that go to the driver together; usually one. The driver sends each as soon as the one before is answered,
 * even if that failed: only for statements that do no harm then.
 */
export type Step = readonly Fragment[];

/**
 * An operation on the tables: a generator that yields its steps and receives the results of their statements.
 *
 * It is written once for all databases. On MySQL and MariaDB each statement is awaited on a connection of a pool, or on
 * the caller's. The driver of SQLite is synchronous, so there all statements run within one turn of the event loop. See
 * docs/decisions/0055.
 */
export type Operation<T> = Generator<Step, T, readonly StatementResult[]>;

/** Runs a statement and returns its rows. */
export function* select<R = Row>(statement: Fragment): Operation<readonly R[]> {
  const [result] = yield [statement];
  return (result as StatementResult).rows as readonly R[];
}

/** Runs a statement and returns how many rows it changed. */
export function* change(statement: Fragment): Operation<number> {
  const [result] = yield [statement];
  return (result as StatementResult).affected;
}
