import type { DataSource } from 'typeorm';

import type { Fragment, Parameter } from '../../sql.js';
import type { Callback, Connection } from './connection.js';

/** How often a connection sends a statement as text before it prepares it. */
const AS_TEXT = 2;
/**
 * How many values the prepared statements of one connection have together: one INSERT of 1,000 jobs with ten each. The
 * server keeps 0.5 to 0.7 KB for each.
 */
const MOST_VALUES = 10_000;
/**
 * How many statements a connection prepares at most. `max_prepared_stmt_count` is 16,382 for the whole server, and
 * statements of the application fail beyond it. It is enough for two hundred processes with pools of ten.
 */
const MOST_STATEMENTS = 8;

/** The server has not run the statement: it does not prepare, or has lost the prepared statement. */
const REFUSALS = new Set([
  1210, // ER_WRONG_ARGUMENTS: as 1243, where the other session has prepared something else
  1243, // ER_UNKNOWN_STMT_HANDLER: a proxy gave the connection another session
  1295, // ER_UNSUPPORTED_PS
  1461, // ER_MAX_PREPARED_STMT_COUNT_REACHED
  1615, // ER_NEED_REPREPARE
]);

/** Shared by all queues: the limits apply to the connection. */
const statementsOf = new WeakMap<Connection, PreparedStatements>();

/**
 * Sends a recurring statement, prepared from its third use on, and calls back as `Connection.query` does. The
 * statements that were unused for the longest time are closed first. If the server refuses, the connection continues
 * with text. See docs/decisions/0022.
 */
export function sendPrepared(connection: Connection, statement: Fragment, callback: Callback): void {
  const { sql, parameters } = statement;
  const prepared = preparedOn(connection);
  if (!prepared.use(statement)) {
    connection.query(sql, parameters, callback);
    return;
  }
  connection.execute(sql, parameters.map(asText), (error, answer) => {
    if (isRefusal(error)) {
      prepared.disable();
      connection.query(sql, parameters, callback);
    } else {
      callback(error, answer);
    }
  });
}

/** Whether statements stay prepared on the connections of a pool. With `resetOnRelease` mysql2 loses them. */
export function keepsPrepared({ options }: DataSource): boolean {
  const { extra } = options as { readonly extra?: { readonly resetOnRelease?: unknown } };
  return !extra?.resetOnRelease;
}

function preparedOn(connection: Connection): PreparedStatements {
  let prepared = statementsOf.get(connection);
  if (!prepared) {
    prepared = new PreparedStatements((sql) => connection.unprepare(sql));
    statementsOf.set(connection, prepared);
  }
  return prepared;
}

/** The prepared statements of one connection. Both maps are in the order of the last use. */
class PreparedStatements {
  /** How many values each has. */
  private readonly statements = new Map<string, number>();
  private values = 0;
  /** How often each was sent as text. */
  private readonly candidates = new Map<string, number>();
  private isDisabled = false;

  constructor(private readonly unprepare: (sql: string) => void) {}

  /** Counts a use. Returns whether to send the statement prepared. */
  use({ sql, parameters: { length: values } }: Fragment): boolean {
    if (this.isDisabled || values > MOST_VALUES) {
      return false;
    }
    if (!this.statements.delete(sql)) {
      if (!this.isDue(sql)) {
        return false;
      }
      this.values += values;
    }
    this.statements.set(sql, values);
    while (this.values > MOST_VALUES || this.statements.size > MOST_STATEMENTS) {
      this.closeOldest();
    }
    return true;
  }

  disable(): void {
    this.isDisabled = true;
    this.candidates.clear();
    while (this.statements.size > 0) {
      this.closeOldest();
    }
  }

  private isDue(sql: string): boolean {
    const uses = this.candidates.get(sql) ?? 0;
    this.candidates.delete(sql);
    if (uses === AS_TEXT) {
      return true;
    }
    this.candidates.set(sql, uses + 1);
    if (this.candidates.size > MOST_STATEMENTS) {
      this.candidates.delete(oldestOf(this.candidates));
    }
    return false;
  }

  private closeOldest(): void {
    const sql = oldestOf(this.statements);
    this.values -= this.statements.get(sql) ?? 0;
    this.statements.delete(sql);
    this.unprepare(sql);
  }
}

function oldestOf(statements: ReadonlyMap<string, number>): string {
  return statements.keys().next().value!;
}

/** Numbers as text: mysql2 3.24 encodes the numbers of prepared statements slowly, by way of BigInt. */
function asText(parameter: Parameter): Parameter {
  return typeof parameter === 'number' ? String(parameter) : parameter;
}

function isRefusal(error: { readonly errno?: number } | null): boolean {
  return error?.errno !== undefined && REFUSALS.has(error.errno);
}
