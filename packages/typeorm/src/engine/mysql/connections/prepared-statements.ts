import type { DataSource } from 'typeorm';

import type { Parameter, Statement } from '../../operation.js';
import type { Callback, Connection } from './connection.js';

/** How often a connection sends a statement as text before it prepares it. */
const AS_TEXT = 2;
/**
 * How many values the prepared statements of one connection have together: one INSERT of 1,000 jobs with ten each. The
 * server keeps 0.5 to 0.7 KB for each: for 500 rows of ten values 2.3 MB (MariaDB 10.11) and 3.4 MB (MySQL 9.7), for 20
 * rows 130 and 170 KB.
 */
const MOST_VALUES = 10_000;
/**
 * How many statements they are at most. `max_prepared_stmt_count` is 16,382 for all connections of a server, and the
 * application's own fail beyond it: pools of ten leave it to two hundred processes.
 */
const MOST_STATEMENTS = 8;

/** The server has not run the statement, and does not prepare, or knows nothing of what was prepared. */
const REFUSALS = new Set([
  1210, // ER_WRONG_ARGUMENTS: as 1243, where the other session has prepared something else
  1243, // ER_UNKNOWN_STMT_HANDLER: something between us and the server gave the connection another session
  1295, // ER_UNSUPPORTED_PS
  1461, // ER_MAX_PREPARED_STMT_COUNT_REACHED
  1615, // ER_NEED_REPREPARE
]);

/** Of all queues together: the limits are the connection's. */
const statementsOf = new WeakMap<Connection, PreparedStatements>();

/**
 * Sends a statement that recurs, and calls back as `Connection.query` does. It is prepared: parsing the same INSERT again
 * and again is a third of what 20 jobs take on MariaDB 10.11, 47 µs a job as text and 31 prepared, and a tenth on
 * MySQL 9.7, 73 and 66 (2026-11-23).
 *
 * Only those that a connection has sent before: callers whose batches are of a different size each time would prepare
 * more than they use. The longest unused go first. Where the server refuses, the connection goes on with text.
 */
export function sendPrepared(connection: Connection, statement: Statement, callback: Callback): void {
  const { sql, parameters } = statement;
  const prepared = preparedOn(connection);
  if (!prepared.admits(statement)) {
    connection.query(sql, parameters, callback);
    return;
  }
  connection.execute(sql, parameters.map(asText), (error, answer) => {
    if (isRefusal(error)) {
      prepared.giveUp();
      connection.query(sql, parameters, callback);
    } else {
      callback(error, answer);
    }
  });
}

/**
 * Whether statements stay prepared on the connections of a pool: mysql2 forgets all of a connection that is reset when
 * it is given back.
 */
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

/** Those of one connection, each map in the order of their last use. */
class PreparedStatements {
  /** How many values each has. */
  private readonly statements = new Map<string, number>();
  private values = 0;
  /** How often each was sent as text. */
  private readonly candidates = new Map<string, number>();
  private isGivenUp = false;

  constructor(private readonly unprepare: (sql: string) => void) {}

  /** Counts a use; whether the statement is prepared, or is to be now. */
  admits({ sql, parameters: { length: values } }: Statement): boolean {
    if (this.isGivenUp || values > MOST_VALUES) {
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
      this.forgetOldest();
    }
    return true;
  }

  giveUp(): void {
    this.isGivenUp = true;
    this.candidates.clear();
    while (this.statements.size > 0) {
      this.forgetOldest();
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

  private forgetOldest(): void {
    const sql = oldestOf(this.statements);
    this.values -= this.statements.get(sql) ?? 0;
    this.statements.delete(sql);
    this.unprepare(sql);
  }
}

function oldestOf(statements: ReadonlyMap<string, number>): string {
  return statements.keys().next().value!;
}

/**
 * A text for a number: mysql2 3.24 writes numbers as integers of the size that MySQL has asked for, by way of BigInt, which is
 * 29 µs of client CPU time a row instead of 17 (MySQL 9.7, 2026-11-23).
 */
function asText(parameter: Parameter): Parameter {
  return typeof parameter === 'number' ? String(parameter) : parameter;
}

function isRefusal(error: { readonly errno?: number } | null): boolean {
  return error?.errno !== undefined && REFUSALS.has(error.errno);
}
