import type { Parameter } from './sql.js';

export type { Parameter } from './sql.js';

/** A row as the driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** A piece of SQL, a condition or an expression, and the values of its `?`s. */
export interface Fragment {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** One SQL statement and the values of its `?`s. */
export interface Statement extends Fragment {
  /** Whether the same text comes again and again, so that it pays to prepare it. Default: no. */
  readonly recurs?: boolean;
}

/** What a statement brought. */
export interface StatementResult {
  readonly rows: readonly Row[];
  /** How many rows it matched; on MySQL also those whose values did not change. */
  readonly affected: number;
}

/**
 * Statements that are handed to the driver together; as a rule one. It sends each as soon as the one before is
 * answered, also if that has failed: only for statements that do no harm then.
 */
export type Step = readonly Statement[];

/**
 * One operation on the tables: a generator that yields its steps and is given the results of their statements.
 *
 * An operation does not say how it is run, so it is written once. On MySQL and MariaDB each statement is awaited on a
 * connection of the pool, or on the caller's; on SQLite, whose driver is synchronous, all of them run within one tick
 * of the event loop, so nothing of the application's can come between them.
 */
export type Operation<T> = Generator<Step, T, readonly StatementResult[]>;

/** Runs a statement and returns its rows. */
export function* select<R = Row>(
  statement: string | Statement,
  parameters: readonly Parameter[] = [],
): Operation<readonly R[]> {
  const [result] = yield [typeof statement === 'string' ? { sql: statement, parameters } : statement];
  return (result as StatementResult).rows as readonly R[];
}

/** Runs a statement and returns how many rows it changed. */
export function* change(statement: string | Statement, parameters: readonly Parameter[] = []): Operation<number> {
  const [result] = yield [typeof statement === 'string' ? { sql: statement, parameters } : statement];
  return (result as StatementResult).affected;
}

/** `?, ?, ?` for as many values. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
