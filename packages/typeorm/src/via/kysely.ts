import { CompiledQuery, type DatabaseConnection, type Transaction } from 'kysely';

import type { ClientTransaction } from '../engine/transaction-handle.js';
import { InvalidOptionError, TransactionEndedError } from '../errors/index.js';
import { ConnectionWatch } from './connection-watch.js';

export type { ClientTransaction } from '../engine/transaction-handle.js';

const CLIENT = 'Kysely';

/** How Kysely refuses statements after the end. */
const ENDED = /^Transaction is already (?:committed|rolled back)/;

/** The connection of a transaction. It is known from the first statement on. */
interface Seen {
  readonly watch: ConnectionWatch;
  /** How many transactions of the connection had ended then. */
  readonly ended: number;
}

const seenOf = new WeakMap<object, Seen>();

/**
 * A transaction of Kysely with its `MysqlDialect`, for the option `via`. A controlled transaction works too.
 *
 * @example
 * ```ts
 * await db.transaction().execute(async (trx) => {
 *   await trx.insertInto('orders').values(order).execute();
 *   await queue.enqueue(sendMail, { to: order.email }, { via: kyselyTransaction(trx) });
 * });
 * ```
 *
 * @param trx must lead to the database of the queue.
 * @throws InvalidOptionError if it is no transaction.
 */
export function kyselyTransaction<Database>(trx: Transaction<Database>): ClientTransaction {
  if (!trx?.isTransaction) {
    throw new InvalidOptionError('trx', `[${typeof trx}]`, 'a transaction of Kysely');
  }
  const isEnded = () => {
    const seen = seenOf.get(trx);
    return seen !== undefined && seen.watch.ended !== seen.ended;
  };
  return {
    client: CLIENT,
    session: trx,
    get isEnded() {
      return isEnded();
    },
    run: async (text, values) => {
      try {
        // On the connection itself: plugins would change the rows.
        return await trx.getExecutor().provideConnection(async (connection) => {
          if (!seenOf.has(trx)) {
            const watch = ConnectionWatch.of(connection, observe);
            seenOf.set(trx, { watch, ended: watch.ended });
          }
          if (isEnded()) {
            throw new TransactionEndedError(CLIENT);
          }
          const { rows, numAffectedRows = 0 } = await connection.executeQuery(CompiledQuery.raw(text, [...values]));
          return { rows: rows as Record<string, unknown>[], affected: Number(numAffectedRows) };
        });
      } catch (error) {
        throw error instanceof Error && ENDED.test(error.message) ? new TransactionEndedError(CLIENT, error) : error;
      }
    },
    onEnd: (listener) => seenOf.get(trx)?.watch.onEnd(listener),
  };
}

/** Kysely commits and rolls back through this method, as its log does. */
function observe(watch: ConnectionWatch, connection: DatabaseConnection): void {
  const send = connection.executeQuery.bind(connection);
  connection.executeQuery = async <Row>(query: CompiledQuery) => {
    const onAnswer = watch.beforeStatement(query.sql);
    try {
      return await send<Row>(query);
    } finally {
      onAnswer?.();
    }
  };
}
