import type { Callback } from '../engine/mysql/connections/connection.js';
import { withPlainResult } from '../engine/mysql/connections/plain-results.js';
import type { ClientAnswer, ClientTransaction } from '../engine/transaction-handle.js';
import { TransactionEndedError } from '../errors/index.js';
import { ConnectionWatch } from './connection-watch.js';

/** The bit of an answer's status that shows an open transaction. */
const IN_TRANSACTION = 1;

/** A statement under way. */
interface Command {
  once(event: 'end', listener: () => void): unknown;
}

/** The members of a connection of mysql2, the one with callbacks, that are used. */
export interface Mysql2Connection {
  readonly config: { readonly typeCast?: unknown };
  query(...args: readonly unknown[]): Command;
  execute(...args: readonly unknown[]): Command;
}

/** The transaction that is open on a connection of mysql2. A later one of the same connection is another one. */
export function transactionOn(connection: Mysql2Connection, client: string): ClientTransaction {
  const watch = ConnectionWatch.of(connection, observe);
  const { ended } = watch;
  const transaction: ClientTransaction = {
    client,
    session: connection,
    get isEnded() {
      return watch.ended !== ended;
    },
    run: (sql, values) =>
      new Promise<ClientAnswer>((resolve, reject) => {
        if (watch.ended !== ended) {
          throw new TransactionEndedError(client);
        }
        const callback: Callback = (error, answer) => {
          if (error) {
            reject(error);
          } else {
            resolve(answerOf(answer));
          }
        };
        connection.query(withPlainResult(connection, sql), values, callback);
      }),
    onEnd: (listener) => watch.onEnd(listener),
  };
  return transaction;
}

/** Reads an answer of mysql2. */
export function answerOf(answer: unknown): ClientAnswer {
  if (Array.isArray(answer)) {
    return { rows: answer, affected: 0 };
  }
  const { affectedRows = 0, serverStatus = 0 } = answer as { affectedRows?: number; serverStatus?: number };
  return { rows: [], affected: affectedRows, isOpen: (serverStatus & IN_TRANSACTION) !== 0 };
}

/** Whether an error is one of the server, as mysql2 makes it. */
export function isOfMysql2(error: unknown): error is Error & { readonly sqlMessage: string } {
  return error instanceof Error && typeof (error as { sqlMessage?: unknown }).sqlMessage === 'string';
}

/** All methods of the connection, such as `commit`, and its promises send their statements through these two. */
function observe(watch: ConnectionWatch, connection: Mysql2Connection): void {
  for (const method of ['query', 'execute'] as const) {
    const send = connection[method].bind(connection);
    connection[method] = (...args) => {
      const [statement] = args;
      const onAnswer = watch.beforeStatement(
        typeof statement === 'string' ? statement : (statement as { readonly sql?: unknown } | undefined)?.sql,
      );
      const command = send(...args);
      if (onAnswer) {
        command.once('end', onAnswer);
      }
      return command;
    };
  }
}
