import { QueryFailedError } from 'typeorm';

/** What an error means for its statement, and so what the engine does. */
export type MysqlErrorKind =
  /** The server has rolled back the transaction, or a ROLLBACK undoes all of it: it can run again. */
  | 'rolled-back'
  /** The server refuses writes for now, or the connection attempt failed: nothing took effect. */
  | 'refused'
  /** The connection broke while a statement ran: it may or may not have taken effect. */
  | 'unknown-outcome'
  /** The disk is full: the statement was rolled back. */
  | 'full'
  | 'duplicate-key'
  | 'missing-table'
  /** The tables are older than this release. */
  | 'missing-column'
  /** The account lacks a privilege. */
  | 'denied'
  /** A value does not fit its column, whenever it is tried. */
  | 'refused-value'
  /** The server accepts no packet of this size, and closes the connection. */
  | 'too-large'
  /** A session with sql_safe_updates. */
  | 'needs-key'
  /** A session with max_join_size. */
  | 'too-many-rows'
  | 'other';

/** By error number: messages are localized, and mysql2 names newer and MariaDB-only codes wrongly or not at all. */
const KINDS = new Map<number, MysqlErrorKind>([
  [1213, 'rolled-back'], // ER_LOCK_DEADLOCK
  [1205, 'rolled-back'], // ER_LOCK_WAIT_TIMEOUT: only the statement is undone; the ROLLBACK is ours
  [1020, 'rolled-back'], // ER_CHECKREAD, MariaDB with innodb_snapshot_isolation
  [3101, 'rolled-back'], // ER_TRANSACTION_ROLLBACK_DURING_COMMIT, Group Replication
  [1290, 'refused'], // ER_OPTION_PREVENTS_STATEMENT: --read-only, a demoted primary
  [1792, 'refused'], // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  [1836, 'refused'], // ER_READ_ONLY_MODE
  [3032, 'refused'], // ER_SERVER_OFFLINE_MODE: a member that has left its group
  [3797, 'refused'], // ER_GRP_TRX_CONSISTENCY_BEFORE: a new primary that has not caught up in time
  [1047, 'refused'], // Galera: the node is not ready
  [1040, 'refused'], // ER_CON_COUNT_ERROR
  [1203, 'refused'], // ER_TOO_MANY_USER_CONNECTIONS
  [1226, 'refused'], // ER_USER_LIMIT_REACHED
  [1053, 'unknown-outcome'], // ER_SERVER_SHUTDOWN
  [1927, 'unknown-outcome'], // MariaDB: the connection was killed
  [1180, 'unknown-outcome'], // ER_ERROR_DURING_COMMIT: Galera, a node that lost the others meanwhile
  [3100, 'unknown-outcome'], // ER_RUN_HOOK_ERROR: Group Replication, the same; the others may have it already
  [4031, 'unknown-outcome'], // ER_CLIENT_INTERACTION_TIMEOUT
  [1021, 'full'], // ER_DISK_FULL
  [1114, 'full'], // ER_RECORD_FILE_FULL: InnoDB could not make its file larger
  [1062, 'duplicate-key'], // ER_DUP_ENTRY
  [1146, 'missing-table'], // ER_NO_SUCH_TABLE
  [1054, 'missing-column'], // ER_BAD_FIELD_ERROR
  [1044, 'denied'], // ER_DBACCESS_DENIED_ERROR
  [1142, 'denied'], // ER_TABLEACCESS_DENIED_ERROR
  [1143, 'denied'], // ER_COLUMNACCESS_DENIED_ERROR
  [1227, 'denied'], // ER_SPECIFIC_ACCESS_DENIED_ERROR
  [1118, 'refused-value'], // ER_TOO_BIG_ROWSIZE
  [1264, 'refused-value'], // ER_WARN_DATA_OUT_OF_RANGE
  [1265, 'refused-value'], // WARN_DATA_TRUNCATED
  [1292, 'refused-value'], // ER_TRUNCATED_WRONG_VALUE
  [1300, 'refused-value'], // ER_INVALID_CHARACTER_STRING
  [1366, 'refused-value'], // ER_TRUNCATED_WRONG_VALUE_FOR_FIELD
  [1406, 'refused-value'], // ER_DATA_TOO_LONG
  [3140, 'refused-value'], // ER_INVALID_JSON_TEXT
  [3141, 'refused-value'], // ER_INVALID_JSON_TEXT_IN_PARAM
  [3988, 'refused-value'], // ER_IMPOSSIBLE_STRING_CONVERSION
  [1153, 'too-large'], // ER_NET_PACKET_TOO_LARGE
  [1104, 'too-many-rows'], // ER_TOO_BIG_SELECT
  [1175, 'needs-key'], // ER_UPDATE_WITHOUT_KEY_IN_SAFE_MODE
]);

/**
 * mysql2 gives socket errors no number. If one of these calls failed no statement was sent. The same codes can also
 * come from reading on an open connection: then the outcome is unknown.
 */
const CONNECTING = new Set(['connect', 'getaddrinfo']);

interface DriverError {
  readonly syscall?: string;
  readonly errno?: number;
  readonly fatal?: boolean;
  readonly code?: string;
}

/** Classifies an error of mysql2, wrapped by TypeORM or not. */
export function kindOfMysqlError(error: unknown): MysqlErrorKind {
  const driverError = driverErrorOf(error);
  if (unconnected.has(driverError)) {
    return 'refused';
  }
  const kind = driverError.errno === undefined ? undefined : KINDS.get(driverError.errno);
  if (kind) {
    return kind;
  }
  if (driverError.syscall !== undefined && CONNECTING.has(driverError.syscall)) {
    return 'refused';
  }
  // mysql2 marks broken connections as fatal; its "closed state" error has neither a code nor a number. A statement
  // that it no longer waits for goes on in the server.
  return driverError.fatal === true || isDriverTimeout(error) ? 'unknown-outcome' : 'other';
}

/** Whether the driver has stopped waiting for the answer: the application limits the time of queries. */
export function isDriverTimeout(error: unknown): boolean {
  return driverErrorOf(error).code === 'PROTOCOL_SEQUENCE_TIMEOUT';
}

const unconnected = new WeakSet<object>();

/** Marks an error of the attempt to get a connection: no statement was sent, whatever its code. */
export function markUnconnected(error: unknown): void {
  unconnected.add(driverErrorOf(error));
}

/** A server that accepts no writes while another one may: 1290, 1836, 3032, 3797 and 1047 as above. */
const DEMOTED: ReadonlySet<number | undefined> = new Set([1290, 1836, 3032, 3797, 1047]);

/** Whether all connections to the server are useless: it was demoted, or has lost its cluster. */
export function isOfDemotedServer(error: unknown): boolean {
  return DEMOTED.has(driverErrorNumber(error));
}

/** Whether a statement waited too long for a row and was rolled back. */
export function isLockWaitTimeout(error: unknown): boolean {
  return driverErrorOf(error).errno === 1205;
}

/** Whether the server has ended a statement because its time was over: MySQL's number, and that of MariaDB. */
export function isStatementTimeout(error: unknown): boolean {
  return [3024, 1969].includes(driverErrorOf(error).errno ?? 0);
}

/** Whether the server has rolled back the whole transaction: a deadlock, or MariaDB's snapshot isolation. */
export function endsTransaction(error: unknown): boolean {
  return [1213, 1020].includes(driverErrorOf(error).errno ?? 0);
}

/** Whether the account lacks a privilege that the statement needs. */
export function isAccessDenied(error: unknown): boolean {
  return kindOfMysqlError(error) === 'denied';
}

/**
 * Whether MySQL could not fill its views of sessions or transactions, whatever columns a query reads, because another
 * session runs a statement with bytes that are no text: ER_CANNOT_CONVERT_STRING.
 */
export function isNoText(error: unknown): boolean {
  return driverErrorOf(error).errno === 3854;
}

/** The number of an error of the server. */
export function driverErrorNumber(error: unknown): number | undefined {
  return driverErrorOf(error).errno;
}

function driverErrorOf(error: unknown): DriverError {
  const inner = error instanceof QueryFailedError ? error.driverError : error;
  return typeof inner === 'object' && inner !== null ? inner : {};
}
