import type { ClientTransaction } from '../engine/transaction-handle.js';
import { InvalidOptionError } from '../errors/index.js';
import { mysql2ConnectionOf } from './mysql2.js';
import { transactionOn } from './on-mysql2.js';

export type { ClientTransaction } from '../engine/transaction-handle.js';

/** The members of a transaction of Drizzle that are known here. Its type has parameters for the whole schema. */
export interface DrizzleTransaction {
  /** Rolls back by throwing. */
  rollback(): never;
  /** Sends a statement. */
  execute(query: never): unknown;
}

/** By Drizzle's transaction, so that one that has ended is recognized when another one has its connection. */
const known = new WeakMap<object, ClientTransaction>();

/**
 * A transaction of Drizzle with the driver mysql2, for the option `via`. In a nested transaction, the jobs are also
 * part of its savepoint. The queue sends its statements to the driver: Drizzle's log does not show them.
 *
 * @example
 * ```ts
 * await db.transaction(async (tx) => {
 *   await tx.insert(orders).values(order);
 *   await queue.enqueue(sendMail, { to: order.email }, { via: drizzleTransaction(tx) });
 * });
 * ```
 *
 * @param tx must lead to the database of the queue. Call this before the transaction ends.
 * @throws InvalidOptionError if it is no transaction, or uses another driver.
 */
export function drizzleTransaction(tx: DrizzleTransaction): ClientTransaction {
  if (typeof tx !== 'object' || tx === null || typeof tx.rollback !== 'function') {
    throw new InvalidOptionError('tx', `[${typeof tx}]`, 'a transaction of Drizzle with the driver mysql2');
  }
  let transaction = known.get(tx);
  if (!transaction) {
    const { session } = tx as unknown as { readonly session?: { readonly client?: unknown } };
    transaction = transactionOn(mysql2ConnectionOf(session?.client, 'tx'), 'Drizzle');
    known.set(tx, transaction);
  }
  return transaction;
}
