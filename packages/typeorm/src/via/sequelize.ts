import type { Sequelize, Transaction } from 'sequelize';

import type { ClientTransaction } from '../engine/transaction-handle.js';
import { InvalidOptionError, TransactionEndedError } from '../errors/index.js';
import { mysql2ConnectionOf } from './mysql2.js';
import { transactionOn } from './on-mysql2.js';

export type { ClientTransaction } from '../engine/transaction-handle.js';

const CLIENT = 'Sequelize';

/** The members of a transaction that Sequelize's types lack. */
interface SequelizeTransaction {
  readonly sequelize?: Sequelize;
  readonly connection?: unknown;
  readonly finished?: 'commit' | 'rollback';
}

/**
 * A transaction of Sequelize 6 with the dialect `mysql`, for the option `via`. In a nested transaction, the jobs are
 * also part of its savepoint. The queue sends its statements to the driver: Sequelize's log does not show them.
 *
 * @example
 * ```ts
 * await sequelize.transaction(async (transaction) => {
 *   await Order.create(order, { transaction });
 *   await queue.enqueue(sendMail, { to: order.email }, { via: sequelizeTransaction(transaction) });
 * });
 * ```
 *
 * @param transaction must lead to the database of the queue.
 * @throws InvalidOptionError if it is no transaction, or has another dialect.
 * @throws TransactionEndedError if it has ended.
 */
export function sequelizeTransaction(transaction: Transaction): ClientTransaction {
  const { sequelize, connection, finished } = (transaction ?? {}) as unknown as SequelizeTransaction;
  if (sequelize?.getDialect() !== 'mysql') {
    throw new InvalidOptionError('transaction', `[${typeof transaction}]`, 'one of Sequelize with the dialect mysql');
  }
  if (finished !== undefined) {
    throw new TransactionEndedError(CLIENT);
  }
  return transactionOn(mysql2ConnectionOf(connection, 'transaction'), CLIENT);
}
