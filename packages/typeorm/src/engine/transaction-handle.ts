import type { QueryRunner } from 'typeorm';

import type { Row } from './operation.js';
import type { Parameter } from './sql.js';
import type { SqliteDatabase } from './sqlite/sqlite-database.js';
import { TypeormTransaction } from './typeorm-transaction.js';

/** The answer of a client to a statement. */
export interface ClientAnswer {
  readonly rows: readonly Row[];
  readonly affected: number;
  /** Whether the server has an open transaction, if the client passes that on. */
  readonly isOpen?: boolean;
}

/**
 * An open transaction of another client than TypeORM, for the option `via`. Functions such as `knexTransaction` make
 * it.
 */
export interface ClientTransaction {
  /** The client that has opened the transaction, such as `Knex`. */
  readonly client: string;
  /** @internal Whether it is known to have ended. False is no promise: see `throughClient`. */
  readonly isEnded: boolean;
  /** @internal The object under which the settings of its session are remembered. */
  readonly session: object;
  /**
   * @internal Sends a statement to MySQL or MariaDB. Undefined for SQLite.
   *
   * @throws TransactionEndedError if it is known to have ended.
   */
  readonly run?: (sql: string, values: readonly Parameter[]) => Promise<ClientAnswer>;
  /** @internal The connection of the transaction, on SQLite. */
  readonly sqlite?: SqliteDatabase;
  /**
   * @internal Calls the listener once, when the transaction ends. Undefined where the client does not report it.
   * `committed` may be true after a rollback.
   */
  readonly onEnd?: (listener: (committed: boolean) => void) => void;
}

/** The open transaction of a call: TypeORM's, that of a query runner of the queue, or that of another client. */
export type TransactionHandle = TypeormTransaction | QueryRunner | ClientTransaction;

/** Whether the transaction belongs to another client than TypeORM. */
export function isOfClient(handle: TransactionHandle): handle is ClientTransaction {
  return 'client' in handle;
}

/** Whether there is a transaction, and as far as is known it is open. */
export function isOpen(handle: TransactionHandle | undefined): handle is TransactionHandle {
  if (handle === undefined || isOfClient(handle)) {
    return handle?.isEnded === false;
  }
  return handle instanceof TypeormTransaction ? handle.isOpen : handle.isTransactionActive && !handle.isReleased;
}

/** The query runner of a transaction of TypeORM. */
export function queryRunnerOf(handle: TypeormTransaction | QueryRunner): QueryRunner {
  return handle instanceof TypeormTransaction ? handle.queryRunner : handle;
}
