import { QueryFailedError } from 'typeorm';

/** What an error says about the statement it came from, and so what may be done about it. */
export type MysqlErrorKind =
  /** The server undid the transaction, or nothing of it is left after a ROLLBACK: it may be run again. */
  | 'rolled-back'
  /** The server refuses writes for now, or the connection attempt failed: nothing took effect. */
  | 'refused'
  /** The connection broke while a statement ran: it may or may not have taken effect. */
  | 'unknown-outcome'
  | 'duplicate-key'
  | 'missing-table'
  | 'other';

/** By error number: messages are localised, and mysql2 names newer or MariaDB-only codes wrongly or not at all. */
const KINDS = new Map<number, MysqlErrorKind>([
  [1213, 'rolled-back'], // ER_LOCK_DEADLOCK
  [1205, 'rolled-back'], // ER_LOCK_WAIT_TIMEOUT: only the statement is undone; the ROLLBACK is ours
  [1020, 'rolled-back'], // ER_CHECKREAD, MariaDB with innodb_snapshot_isolation
  [3101, 'rolled-back'], // ER_TRANSACTION_ROLLBACK_DURING_COMMIT, Group Replication
  [1290, 'refused'], // ER_OPTION_PREVENTS_STATEMENT: --read-only, a demoted primary
  [1792, 'refused'], // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  [1836, 'refused'], // ER_READ_ONLY_MODE
  [1047, 'refused'], // Galera: the node is not ready
  [1040, 'refused'], // ER_CON_COUNT_ERROR
  [1203, 'refused'], // ER_TOO_MANY_USER_CONNECTIONS
  [1226, 'refused'], // ER_USER_LIMIT_REACHED
  [1053, 'unknown-outcome'], // ER_SERVER_SHUTDOWN
  [1927, 'unknown-outcome'], // MariaDB: the connection was killed
  [4031, 'unknown-outcome'], // ER_CLIENT_INTERACTION_TIMEOUT
  [1062, 'duplicate-key'], // ER_DUP_ENTRY
  [1146, 'missing-table'], // ER_NO_SUCH_TABLE
]);

/**
 * mysql2 gives no number to what happens on the socket. Where it happened while connecting, no statement was sent. The
 * same codes come from reading on an open connection, and then nobody knows.
 */
const CONNECTING = new Set(['connect', 'getaddrinfo']);

interface DriverError {
  readonly syscall?: string;
  readonly errno?: number;
  readonly fatal?: boolean;
}

/** Classifies an error of mysql2, wrapped by TypeORM or not. */
export function kindOfMysqlError(error: unknown): MysqlErrorKind {
  const driverError = driverErrorOf(error);
  const kind = driverError.errno === undefined ? undefined : KINDS.get(driverError.errno);
  if (kind) {
    return kind;
  }
  if (driverError.syscall !== undefined && CONNECTING.has(driverError.syscall)) {
    return 'refused';
  }
  // mysql2 marks broken connections as fatal; its "closed state" error has neither a code nor a number.
  return driverError.fatal === true ? 'unknown-outcome' : 'other';
}

/** Whether a statement has waited for a row for as long as it may, and has been undone. */
export function isLockWaitTimeout(error: unknown): boolean {
  return driverErrorOf(error).errno === 1205;
}

/** ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR, ER_COLUMNACCESS_DENIED_ERROR. */
const DENIED: ReadonlySet<number | undefined> = new Set([1227, 1142, 1143]);

/** Whether the account lacks a privilege that the statement needs. */
export function isAccessDenied(error: unknown): boolean {
  return DENIED.has(driverErrorNumber(error));
}

/** The number of an error that the server has sent. */
export function driverErrorNumber(error: unknown): number | undefined {
  return driverErrorOf(error).errno;
}

function driverErrorOf(error: unknown): DriverError {
  const inner = error instanceof QueryFailedError ? error.driverError : error;
  return typeof inner === 'object' && inner !== null ? inner : {};
}
