import type { QueryRunner } from 'typeorm';

import type { Connection } from './connection.js';

/**
 * Options of mysql2 for the queue's statements, whatever the application sets for its connections: `typeCast`,
 * `rowsAsArray` and the like. Big numbers are strings, as with TypeORM.
 */
const PLAIN = {
  rowsAsArray: false,
  nestTables: false,
  namedPlaceholders: false,
  dateStrings: false,
  decimalNumbers: false,
  supportBigNumbers: true,
  bigNumberStrings: true,
};

/** Overrides the connection's function, as only another function does. It costs a call for each value. */
const PLAIN_CAST = { ...PLAIN, typeCast: (_field: unknown, next: () => unknown) => next() };

/** The same for a whole pool. */
export const PLAIN_POOL = { ...PLAIN, typeCast: undefined };

/** A statement whose rows mysql2 reads in its usual way. */
export function withPlainResult({ config }: Pick<Connection, 'config'>, sql: string): { readonly sql: string } {
  return typeof config.typeCast === 'function' ? { ...PLAIN_CAST, sql } : { ...PLAIN, sql };
}

/**
 * The same for statements through a query runner, which takes no options of a statement. Its log, its subscribers and
 * its connection are those of the application. Only for `query`: changes of its state would be lost.
 */
export function withPlainResults(queryRunner: QueryRunner): QueryRunner {
  return Object.create(queryRunner, {
    connect: { value: async () => plainConnection((await queryRunner.connect()) as Connection) },
  }) as QueryRunner;
}

function plainConnection(connection: Connection): Connection {
  const query: Connection['query'] = (statement, values, callback) => {
    // TypeORM passes an object where it sets a timeout.
    const { sql, ...options } = typeof statement === 'string' ? { sql: statement } : (statement as { sql: string });
    return connection.query({ ...options, ...withPlainResult(connection, sql) }, values, callback);
  };
  // mysql2's `promise()` calls `query` of the object that it is called on.
  return Object.create(connection, { query: { value: query } }) as Connection;
}
