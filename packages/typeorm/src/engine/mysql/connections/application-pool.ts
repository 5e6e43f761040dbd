import type { DataSource, QueryRunner } from 'typeorm';

import { markOwnTransaction } from '../../own-transactions.js';
import { type Connection, connectionOf } from './connection.js';
import { ResponseTimeoutError, withDeadline } from './deadline.js';
import { type MysqlErrorKind, isOfDemotedServer, kindOfMysqlError } from '../mysql-errors.js';
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
    throw error;
  } finally {
    await queryRunner.release();
  }
}

/** Wraps work in a transaction, which is rolled back when the work throws. */
export function inTransaction<T>(work: Work<T>): Work<T> {
  return async (queryRunner, connection, onResponse) => {
    markOwnTransaction(queryRunner);
    await queryRunner.startTransaction();
    onResponse();
    try {
      const result = await work(queryRunner, connection, onResponse);
      await queryRunner.commitTransaction();
      return result;
    } catch (error) {
      // Also after a lock wait timeout, which leaves the transaction open with its locks. If the ROLLBACK fails the
      // connection is gone, and with it the transaction.
      await queryRunner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  };
}

/** Wraps work in a transaction, perhaps depending on the session of its connection. */
export function inTransactionIf<T>(work: Work<T>, isWanted: boolean | ((connection: Connection) => boolean)): Work<T> {
  if (typeof isWanted === 'boolean') {
    return isWanted ? inTransaction(work) : work;
  }
  return (queryRunner, connection, onResponse) =>
    (isWanted(connection) ? inTransaction(work) : work)(queryRunner, connection, onResponse);
}

/**
 * Commits with a deadline: the application's connections wait for an answer as long as TCP does, perhaps for hours. See
 * docs/decisions/0019.
 *
 * @param patience in ms.
 */
export async function commitWithin(queryRunner: QueryRunner, connection: Connection, patience: number): Promise<void> {
  try {
    await withDeadline(queryRunner.commitTransaction(), patience);
  } catch (error) {
    if (error instanceof ResponseTimeoutError) {
      connection.destroy();
    }
    throw error;
  }
}
