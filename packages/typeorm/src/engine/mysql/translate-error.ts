import {
  DatabaseBusyError,
  DatabaseFullError,
  DatabaseUnavailableError,
  MissingTablesError,
  StatementTooLargeError,
  UnsupportedSessionError,
  ValueRefusedError,
} from '../../errors/index.js';
import { kindOfMysqlError } from './mysql-errors.js';

/**
 * What callers of the queue are told of an error of the driver's.
 *
 * @param purpose what was tried, as an infinitive.
 * @returns an error of the queue's, or the one given where there is none for it.
 */
export function translateError(error: unknown, purpose: string): unknown {
  switch (kindOfMysqlError(error)) {
    case 'needs-key':
      return new UnsupportedSessionError(
        'sql_safe_updates = 1',
        `the server has refused to ${purpose}, because a statement names its rows by a join`,
        'Set sql_safe_updates = 0 on the connections of the data source.',
      );
    case 'missing-table':
      return new MissingTablesError([/'[^']*?([^'.]+)'/.exec(String(error))?.[1] ?? 'of the queue'], error);
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
      return new DatabaseUnavailableError(purpose, error);
    default:
      return error;
  }
}
