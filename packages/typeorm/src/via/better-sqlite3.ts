import type { Database, Statement } from 'better-sqlite3';

import type { SqliteDatabase } from '../engine/sqlite/sqlite-database.js';
import type { ClientTransaction } from '../engine/transaction-handle.js';
import { InvalidOptionError } from '../errors/index.js';
import { ConnectionWatch, endsTransaction } from './connection-watch.js';

export type { ClientTransaction } from '../engine/transaction-handle.js';

/**
 * The transaction that is open on a connection of better-sqlite3, for the option `via`. Start it with
 * `BEGIN IMMEDIATE`: `database.transaction` takes no asynchronous function. For the next transaction of the connection,
 * call this again.
 *
 * @example
 * ```ts
 * database.exec('BEGIN IMMEDIATE');
 * database.prepare('INSERT INTO orders (email) VALUES (?)').run(order.email);
 * await queue.enqueue(sendMail, { to: order.email }, { via: betterSqlite3Transaction(database) });
 * database.exec('COMMIT');
 * ```
 *
 * @param database must have opened the file of the queue.
 * @throws InvalidOptionError if it is no connection of better-sqlite3.
 */
export function betterSqlite3Transaction(database: Database): ClientTransaction {
  if (typeof database?.inTransaction !== 'boolean' || typeof database.prepare !== 'function') {
    throw new InvalidOptionError('database', `[${typeof database}]`, 'a connection of better-sqlite3');
  }
  const sqlite: SqliteDatabase = Object.create(database as object, {
    // Whatever the application sets for its own statements.
    prepare: { value: (text: string) => database.prepare(text).safeIntegers(false) },
    inTransaction: { get: () => database.inTransaction },
  });
  const watch = ConnectionWatch.of(database, observe);
  const { ended } = watch;
  return {
    client: 'better-sqlite3',
    session: database,
    get isEnded() {
      return watch.ended !== ended || !database.inTransaction;
    },
    sqlite,
    onEnd: (listener) => watch.onEnd(listener),
  };
}

function observe(watch: ConnectionWatch, database: Database): void {
  const { exec, prepare } = database;
  database.exec = function (text) {
    const onAnswer = watch.beforeStatement(text);
    exec.call(this, text);
    onAnswer?.();
    return this;
  };
  database.prepare = function (this: Database, text: string) {
    const statement = prepare.call(this, text) as Statement<unknown[]>;
    if (endsTransaction(text)) {
      const { run } = statement;
      statement.run = function (...values: unknown[]) {
        const onAnswer = watch.beforeStatement(text);
        const result = run.apply(this, values);
        onAnswer?.();
        return result;
      };
    }
    return statement;
  } as Database['prepare'];
}
