import type { Connection } from 'mysql2';
import type { Connection as PromiseConnection } from 'mysql2/promise';

import type { ClientTransaction } from '../engine/transaction-handle.js';
import { InvalidOptionError } from '../errors/index.js';
import { type Mysql2Connection, transactionOn } from './on-mysql2.js';

export type { ClientTransaction } from '../engine/transaction-handle.js';

/**
 * The transaction that is open on a connection of mysql2, for the option `via`. Start it before this call, with
 * `beginTransaction` or a statement. For the next transaction of the connection, call this again.
 *
 * @example
 * ```ts
 * await connection.beginTransaction();
 * await connection.query('INSERT INTO orders SET ?', [order]);
 * await queue.enqueue(sendMail, { to: order.email }, { via: mysql2Transaction(connection) });
 * await connection.commit();
 * ```
 *
 * @param connection with promises or callbacks, of a pool or not. It must lead to the database of the queue.
 * @throws InvalidOptionError if it is a pool, or no connection of mysql2.
 */
export function mysql2Transaction(connection: Connection | PromiseConnection): ClientTransaction {
  return transactionOn(mysql2ConnectionOf(connection, 'connection'), 'mysql2');
}

/**
 * Returns the connection behind one with promises.
 *
 * @throws InvalidOptionError
 */
export function mysql2ConnectionOf(connection: unknown, option: string): Mysql2Connection {
  const outer = connection as { readonly connection?: unknown; readonly promise?: unknown } | undefined;
  const core: Partial<Mysql2Connection> | undefined = outer?.connection ?? outer;
  if (typeof core?.execute !== 'function' || typeof core.config !== 'object' || 'getConnection' in core) {
    throw new InvalidOptionError(
      option,
      Object.prototype.toString.call(connection),
      'a connection of mysql2 with an open transaction; a pool has many connections',
    );
  }
  return core as Mysql2Connection;
}
