import type { Parameter, Statement } from '../operation.js';
import type { Callback, Connection } from './connection.js';

/** How often a connection sends a statement as text before it prepares it. */
const AS_TEXT = 2;
/**
 * How many values the statements of one connection have together, two INSERTs of 500 jobs. The server keeps 0.5 to 0.7 KB
 * for each: for 500 rows of ten values 2.3 MB (MariaDB 10.11) and 3.4 MB (MySQL 9.7), for 20 rows 130 and 170 KB.
 */
const MOST_VALUES = 10_000;
/** How many statements they are at most: `max_prepared_stmt_count`, of all connections of a server, is 16,382. */
const MOST_STATEMENTS = 16;

/** The server has not run the statement, and does not prepare, or knows nothing of what was prepared. */
const REFUSALS = new Set([
  1243, // ER_UNKNOWN_STMT_HANDLER: something between us and the server gave the connection another session
  1295, // ER_UNSUPPORTED_PS
  1461, // ER_MAX_PREPARED_STMT_COUNT_REACHED
  1615, // ER_NEED_REPREPARE
]);

/**
 * Prepares statements that recur: parsing the same INSERT again and again is a third of what 20 jobs take, 47 µs a job
 * as text and 31 prepared on MariaDB 10.11, 72 and 63 on MySQL 9.7 (2026-11-23).
 *
 * Only those that a connection has sent before: callers whose batches are of a different size each time would prepare
 * more than they use. The longest unused go first. Where the server refuses, the connection goes on with text.
 */
export class PreparedStatements {
  private readonly connections = new WeakMap<Connection, RecentStatements>();

  /** Calls back as `Connection.query` does. */
  send(connection: Connection, statement: Statement, callback: Callback): void {
    const { sql, parameters } = statement;
    if (!statement.recurs || !this.recentOf(connection).isDue(statement)) {
      connection.query(sql, parameters, callback);
      return;
    }
    connection.execute(sql, parameters.map(asText), (error, answer) => {
      if (isRefusal(error)) {
        this.recentOf(connection).giveUp();
        connection.query(sql, parameters, callback);
      } else {
        callback(error, answer);
      }
    });
  }

  private recentOf(connection: Connection): RecentStatements {
    let recent = this.connections.get(connection);
    if (!recent) {
      recent = new RecentStatements((sql) => connection.unprepare(sql));
      this.connections.set(connection, recent);
    }
    return recent;
  }
}

/** The statements that one connection has sent lately, in the order of their last use. */
class RecentStatements {
  private readonly statements = new Map<string, { readonly uses: number; readonly values: number }>();
  private values = 0;
  private isGivenUp = false;

  constructor(private readonly unprepare: (sql: string) => void) {}

  /** Counts a use; whether the statement has been used often enough to be prepared. */
  isDue({ sql, parameters: { length: values } }: Statement): boolean {
    if (this.isGivenUp || values > MOST_VALUES) {
      return false;
    }
    const uses = (this.statements.get(sql)?.uses ?? 0) + 1;
    this.forget(sql);
    this.statements.set(sql, { uses, values });
    this.values += values;
    for (const [oldest, { uses: count }] of this.statements) {
      if (this.values <= MOST_VALUES && this.statements.size <= MOST_STATEMENTS) {
        break;
      }
      this.forget(oldest);
      if (count > AS_TEXT) {
        this.unprepare(oldest);
      }
    }
    return uses > AS_TEXT;
  }

  giveUp(): void {
    this.isGivenUp = true;
    for (const [sql, { uses }] of this.statements) {
      if (uses > AS_TEXT) {
        this.unprepare(sql);
      }
    }
    this.statements.clear();
  }

  private forget(sql: string): void {
    this.values -= this.statements.get(sql)?.values ?? 0;
    this.statements.delete(sql);
  }
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
