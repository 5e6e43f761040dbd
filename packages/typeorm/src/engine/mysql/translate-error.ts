import {
  DatabaseBusyError,
  DatabaseFullError,
  DatabaseUnavailableError,
  MissingPrivilegeError,
  MissingTablesError,
  StatementTooLargeError,
  TransactionLostError,
  UnsupportedSessionError,
  ValueRefusedError,
} from '../../errors/index.js';
import { driverErrorNumber, endsTransaction, kindOfMysqlError } from './mysql-errors.js';

/**
 * Translates an error of the driver into one of the queue.
 *
 * @param purpose what the statement does, as an infinitive.
 * @returns the same error where the queue has none for it.
 */
export function translateError(error: unknown, purpose: string): unknown {
  switch (kindOfMysqlError(error)) {
    case 'needs-key':
      return new UnsupportedSessionError(
        'sql_safe_updates = 1',
        `the server has refused to ${purpose}, because a statement names its rows by a join`,
        'Set sql_safe_updates = 0 on the connections of the data source.',
      );
    case 'too-many-rows':
      return new UnsupportedSessionError(
        'max_join_size and sql_big_selects = 0',
        `the server has refused to ${purpose}, because it expects a statement to read more rows`,
        'Set sql_big_selects = 1 on the connections of the data source.',
      );
    case 'missing-table':
      return new MissingTablesError([/'[^']*?([^'.]+)'/.exec(String(error))?.[1] ?? 'of the queue'], error);
    case 'missing-column':
      return new MissingTablesError([], error, /'(?:[^'.]+\.)?([^'.]+)'/.exec(String(error))?.[1] ?? 'of this release');
    case 'denied':
      return new MissingPrivilegeError(purpose, privilegeOf(error), error);
    case 'rolled-back':
      return new DatabaseBusyError(
        purpose,
        `${String(error)}. It met locks in every try: look for long transactions on the queue's tables.`,
        error,
      );
    case 'refused-value':
      return new ValueRefusedError(purpose, error);
    case 'too-large':
      return new StatementTooLargeError(purpose, error);
    case 'full':
      return new DatabaseFullError(purpose, error);
    case 'refused':
    case 'unknown-outcome':
      return unavailable(purpose, error);
    default:
      return error;
  }
}

/** Translates an error in the caller's transaction. After a lock wait timeout it is open, and the application decides. */
export function translateInTransaction(error: unknown, purpose: string): unknown {
  if (!(error instanceof TransactionLostError) && endsTransaction(error)) {
    return new TransactionLostError(purpose, error);
  }
  return kindOfMysqlError(error) === 'rolled-back' ? error : translateError(error, purpose);
}

const MORE_CONNECTIONS =
  'Raise max_connections or max_user_connections of the server, or the MAX_USER_CONNECTIONS of the account. Each ' +
  "worker opens up to 8 connections beside the application's pool, and each lock one more.";

/** What to check when the server refuses the connection itself, by error number. */
const CONNECTION_ADVICE = new Map([
  [1044, 'Check the user and the database of the data source: the user may not use that database.'],
  [1045, 'Check the user name and the password of the data source.'],
  [1040, MORE_CONNECTIONS],
  [1203, MORE_CONNECTIONS],
  [1226, MORE_CONNECTIONS],
  [1049, 'Check the database name of the data source, or create that database.'],
]);

/** Makes an error that names what to check: the account if the server has refused it, otherwise the server. */
export function unavailable(purpose: string, error: unknown): DatabaseUnavailableError {
  return new DatabaseUnavailableError(purpose, error, CONNECTION_ADVICE.get(driverErrorNumber(error) ?? 0));
}

/**
 * What to grant, from the server's message: `DELETE ON tq_job`. Undefined if the message does not show it, as in
 * another language.
 */
function privilegeOf(error: unknown): string | undefined {
  const message = String((error as { message?: unknown }).message);
  // MySQL refuses a locking SELECT of an account that may not change the table.
  const named = message.replace('SELECT with locking clause command', 'UPDATE command');
  const [, privilege, table] = /([A-Z ,]+) command denied .* table (\S+?)\.?$/.exec(named) ?? [];
  if (privilege && table) {
    return `${privilege} ON ${table.replaceAll(/[`']/g, '')}`;
  }
  const [, database] = /Access denied for user .* to database '(.+)'/.exec(message) ?? [];
  if (database) {
    return `SELECT, INSERT, UPDATE, DELETE ON ${database}.*`;
  }
  const [, several] = /at least one of\) the ([\w ,]+) privilege/.exec(message) ?? [];
  return several && `${several.split(', ')[0]} ON *.*`;
}
