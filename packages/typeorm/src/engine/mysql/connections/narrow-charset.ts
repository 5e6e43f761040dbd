import type { DataSource, QueryRunner } from 'typeorm';

import type { Send } from '../../run-operation.js';
import { type Fragment, type Parameter, sql } from '../../sql.js';
import { queryOn } from '../../through-query-runner.js';
import type { Connection } from './connection.js';

// eslint-disable-next-line no-control-regex -- every character set has ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** Whether the connections of a data source cannot carry every character. The driver's default can. */
export function isNarrow({ options }: DataSource): boolean {
  const charset = 'charset' in options ? options.charset : undefined;
  return typeof charset === 'string' && !/^utf8mb4/i.test(charset);
}

/**
 * Sends all characters over connections with another character set than utf8mb4, as bytes: `_utf8mb4 X'…'`. Otherwise
 * the driver would replace characters that the character set does not have, and different keys could become equal.
 */
export class NarrowCharset {
  private readonly prepared = new WeakSet<Connection>();

  /**
   * Makes the server answer in utf8mb4. The server declares this for each column and the driver follows, so the
   * application reads the same texts, and characters that it would have lost.
   */
  async prepare(connection: Connection, queryRunner: QueryRunner): Promise<void> {
    if (!this.prepared.has(connection)) {
      await queryOn(queryRunner, sql`SET SESSION character_set_results = 'utf8mb4'`);
      this.prepared.add(connection);
    }
  }

  /** Sends statements without losing characters. */
  wrap(send: Send): Send {
    return (statement) => send(inBytes(statement));
  }
}

/** The statements of the queue have no `?` but those for values. */
function inBytes(statement: Fragment): Fragment {
  const { parameters } = statement;
  if (parameters.every(isAscii)) {
    return statement;
  }
  const bytes = parameters.map((value) => (isAscii(value) ? value : Buffer.from(value as string)));
  return sql.bind(
    sql.prefixValues(statement, sql`_utf8mb4`, (value) => !isAscii(value)),
    bytes,
  );
}

/** Whether every character set can carry the value. */
function isAscii(value: Parameter): boolean {
  return typeof value !== 'string' || ASCII.test(value);
}
