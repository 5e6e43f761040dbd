import type { DataSource } from 'typeorm';

import { markOwnTransaction } from '../../own-transactions.js';
import { type Connection, connectionOf } from './connection.js';
import { type MysqlErrorKind, isOfDemotedServer, kindOfMysqlError } from '../mysql-errors.js';
import type { Work } from './worker-pool.js';

/** How many connections mysql2 pools where nobody says how many. */
const DEFAULT_POOL = 10;

/** How many connections the application's pool has at most. */
export function sizeOfPool({ options }: DataSource): number {
  const { connectionLimit } = (options.extra ?? {}) as { readonly connectionLimit?: number };
  return ('poolSize' in options && options.poolSize) || connectionLimit || DEFAULT_POOL;
}

/** After these nobody is to get the connection again. */
const OF_NO_USE: ReadonlySet<MysqlErrorKind> = new Set(['too-large', 'unknown-outcome']);

/** Works on a connection that is borrowed from the application's pool. */
export async function borrow<T>(dataSource: DataSource, work: Work<T>): Promise<T> {
  const queryRunner = dataSource.createQueryRunner('master');
  let connection: Connection | undefined;
  try {
    connection = await connectionOf(queryRunner);
    return await work(queryRunner, connection, () => undefined);
  } catch (error) {
    if (isOfDemotedServer(error) || OF_NO_USE.has(kindOfMysqlError(error))) {
      // mysql2's pool would keep it: nobody who borrows it could write, one that was sent too much the server closes, and
      // one whose statement nobody waits for any more is busy with it.
      connection?.destroy();
    }
    throw error;
  } finally {
    await queryRunner.release();
  }
}

/** The work in a transaction of its own: committed, or rolled back where it throws. */
export function inTransaction<T>(work: Work<T>): Work<T> {
  return async (queryRunner, connection, heard) => {
    markOwnTransaction(queryRunner);
    await queryRunner.startTransaction();
    heard();
    try {
      const result = await work(queryRunner, connection, heard);
      await queryRunner.commitTransaction();
      return result;
    } catch (error) {
      // Also after a lock wait timeout, which leaves the transaction open with its locks. Where the ROLLBACK fails the
      // connection is gone, and with it the transaction.
      await queryRunner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  };
}
