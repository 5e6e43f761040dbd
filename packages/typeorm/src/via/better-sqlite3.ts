import type { Database } from 'better-sqlite3';

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
  const sqlite: SqliteDatabase = Object.create(database, {
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
  const exec = database.exec.bind(database);
  const prepare = database.prepare.bind(database);
  database.exec = (text) => {
    const onAnswer = watch.beforeStatement(text);
    exec(text);
    onAnswer?.();
    return database;
  };
  database.prepare = ((text: string) => {
    const statement = prepare(text);
    if (endsTransaction(text)) {
      const run = statement.run.bind(statement);
      statement.run = (...values) => {
        const onAnswer = watch.beforeStatement(text);
        const result = run(...values);
        onAnswer?.();
        return result;
      };
    }
    return statement;
  }) as Database['prepare'];
}
