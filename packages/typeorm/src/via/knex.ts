import type { Knex } from 'knex';

import { withPlainResult } from '../engine/mysql/connections/plain-results.js';
import type { ClientAnswer, ClientTransaction } from '../engine/transaction-handle.js';
import { InvalidOptionError, TransactionEndedError } from '../errors/index.js';
import type { Mysql2Connection } from './on-mysql2.js';
import { answerOf, isOfMysql2 } from './on-mysql2.js';

export type { ClientTransaction } from '../engine/transaction-handle.js';

const CLIENT = 'Knex';

/** A client of a transaction. It emits the events of Knex, and refuses statements after the end. */
interface KnexClient {
  readonly driverName?: unknown;
  acquireConnection(): Promise<Mysql2Connection>;
  query(connection: Mysql2Connection, query: object): Promise<{ readonly response: readonly unknown[] }>;
}

/** What Knex calls a transaction, with the members that its types lack. */
type Transactor = Knex.Transaction & { readonly parentTransaction?: Transactor };

/**
 * A transaction of Knex, for the option `via`. Knex must use the driver mysql2. In a nested transaction, the jobs are
 * also part of its savepoint.
 *
 * @example
 * ```ts
 * await knex.transaction(async (trx) => {
 *   await trx('orders').insert(order);
 *   await queue.enqueue(sendMail, { to: order.email }, { via: knexTransaction(trx) });
 * });
 * ```
 *
 * @param trx must lead to the database of the queue.
 * @throws InvalidOptionError if it is no transaction, or uses another driver.
 */
export function knexTransaction(trx: Knex.Transaction): ClientTransaction {
  const client = trx?.client as KnexClient | undefined;
  if (!trx?.isTransaction || client?.driverName !== 'mysql2') {
    throw new InvalidOptionError('trx', `[${typeof trx}]`, 'a transaction of Knex with the client mysql2');
  }
  const outermost = outermostOf(trx);
  return {
    client: CLIENT,
    session: outermost,
    get isEnded() {
      return trx.isCompleted();
    },
    run: async (text, bindings): Promise<ClientAnswer> => {
      const connection = await client.acquireConnection();
      const { sql, ...options } = withPlainResult(connection, text);
      if (trx.isCompleted()) {
        throw new TransactionEndedError(CLIENT);
      }
      try {
        // Not `raw`, whose results the application may change with `postProcessResponse`.
        const { response } = await client.query(connection, { sql, bindings, options, method: 'raw' });
        return answerOf(response[0]);
      } catch (error) {
        throw withoutStatement(error);
      }
    },
    onEnd: (listener) => {
      void outermost.executionPromise.then(
        () => listener(true),
        () => listener(false),
      );
    },
  };
}

function outermostOf(trx: Transactor): Transactor {
  return trx.parentTransaction ? outermostOf(trx.parentTransaction) : trx;
}

/** Knex puts the statement with its values into the message. */
function withoutStatement(error: unknown): unknown {
  if (isOfMysql2(error)) {
    error.message = error.sqlMessage;
  }
  return error;
}
