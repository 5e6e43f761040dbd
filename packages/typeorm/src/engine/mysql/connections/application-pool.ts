import type { DataSource, QueryRunner } from 'typeorm';

import { DatabaseUnavailableError } from '../../../errors/index.js';
import { markOwnTransaction } from '../../own-transactions.js';
import { sql } from '../../sql.js';
import { type Connection, connectionOf } from './connection.js';
import { ResponseTimeoutError, withDeadline } from './deadline.js';
import { endSession } from './end-session.js';
import { type MysqlErrorKind, isDriverTimeout, isOfDemotedServer, kindOfMysqlError } from '../mysql-errors.js';
import type { Work } from './worker-pool.js';

/** The size of mysql2's pool by default. */
const DEFAULT_POOL = 10;

/** How many connections the application's pool has at most. */
export function sizeOfPool({ options }: DataSource): number {
  const { connectionLimit } = (options.extra ?? {}) as { readonly connectionLimit?: number };
  return ('poolSize' in options && options.poolSize) || connectionLimit || DEFAULT_POOL;
}

/** Errors after which the connection must not be used again. */
const CLOSES_CONNECTION: ReadonlySet<MysqlErrorKind> = new Set(['too-large', 'unknown-outcome']);

/** Runs work on a connection of the application's pool. */
export async function borrow<T>(dataSource: DataSource, work: Work<T>): Promise<T> {
  const queryRunner = dataSource.createQueryRunner('master');
  let connection: Connection | undefined;
  try {
    connection = await connectionOf(queryRunner);
    return await work(queryRunner, connection, () => undefined);
  } catch (error) {
    if (isOfDemotedServer(error) || CLOSES_CONNECTION.has(kindOfMysqlError(error))) {
      // mysql2's pool would keep it, although its server accepts no writes, closes it, or still runs its statement.
      connection?.destroy();
    }
    if (connection && isDriverTimeout(error)) {
      void endSession(dataSource, connection, dataSource.options.maxQueryExecutionTime ?? 0);
    }
    throw error;
  } finally {
    await queryRunner.release();
  }
}

/**
 * Wraps work in a transaction, which is rolled back when the work throws.
 *
 * @param isolation the level. Default: that of the session.
 * @param mayBeOpen whether the session may be in a transaction, because it does not commit each statement. Its level
 *   could not be set then. START TRANSACTION would commit it too.
 */
export function inTransaction<T>(work: Work<T>, isolation?: 'READ COMMITTED', mayBeOpen = false): Work<T> {
  return async (queryRunner, connection, onResponse) => {
    markOwnTransaction(queryRunner);
    if (isolation && mayBeOpen) {
      await queryRunner.query(sql`COMMIT AND NO CHAIN NO RELEASE`.sql);
    }
    await queryRunner.startTransaction(isolation);
    onResponse();
    try {
      const result = await work(queryRunner, connection, onResponse);
      await queryRunner.commitTransaction();
      return result;
    } catch (error) {
      if (isDriverTimeout(error)) {
        // The server would answer the ROLLBACK only after the statement.
        connection.destroy();
      }
      // Also after a lock wait timeout, which leaves the transaction open with its locks. If the ROLLBACK fails the
      // connection is gone, and with it the transaction.
      await queryRunner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  };
}

/** Wraps work in a transaction, perhaps depending on the session of its connection. */
export function inTransactionIf<T>(
  work: Work<T>,
  isWanted: boolean | ((connection: Connection) => boolean),
  isolation?: 'READ COMMITTED',
): Work<T> {
  if (typeof isWanted === 'boolean') {
    return isWanted ? inTransaction(work, isolation) : work;
  }
  return (queryRunner, connection, onResponse) =>
    (isWanted(connection) ? inTransaction(work, isolation) : work)(queryRunner, connection, onResponse);
}

/**
 * Commits with a deadline: the application's connections wait for an answer as long as TCP does, perhaps for hours. See
 * docs/decisions/0019.
 *
 * @param patience in ms.
 * @throws DatabaseUnavailableError after the deadline: the outcome is unknown.
 */
export async function commitWithin(
  dataSource: DataSource,
  queryRunner: QueryRunner,
  connection: Connection,
  patience: number,
): Promise<void> {
  const since = performance.now();
  try {
    await withDeadline(queryRunner.commitTransaction(), patience);
  } catch (error) {
    if (!(error instanceof ResponseTimeoutError) && !isDriverTimeout(error)) {
      throw error;
    }
    connection.destroy();
    void endSession(dataSource, connection, performance.now() - since);
    throw new DatabaseUnavailableError('commit a transaction', error);
  }
}
