import { QueryFailedError } from 'typeorm';

import type { StatementResult } from '../../operation.js';
import type { Send } from '../../run-operation.js';
import type { Fragment } from '../../sql.js';
import { withoutValues } from '../../without-values.js';
import type { Callback, Connection } from './connection.js';
import { withPlainResult } from './plain-results.js';
import { sendPrepared } from './prepared-statements.js';

/**
 * Sends statements to the driver without TypeORM's query runner, whose work for each statement costs more than the
 * driver's. See docs/decisions/0021.
 *
 * @param prepares whether recurring statements are prepared.
 */
export function throughDriver(connection: Connection, prepares: boolean): Send {
  return async (statement) => {
    try {
      return await execute(connection, statement, prepares);
    } catch (error) {
      // As a query runner does. Thrown after the await, so that the stack shows the caller.
      throw new QueryFailedError(statement.sql, [], withoutValues(error) as Error);
    }
  };
}

function execute(connection: Connection, statement: Fragment, prepares: boolean): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    const callback: Callback = (error, answer) => {
      if (error) {
        reject(error);
      } else if ('affectedRows' in answer) {
        resolve({ rows: [], affected: answer.affectedRows ?? 0 });
      } else {
        resolve({ rows: answer as StatementResult['rows'], affected: 0 });
      }
    };
    if (prepares && statement.recurs) {
      // None of these has rows.
      sendPrepared(connection, statement, callback);
    } else {
      connection.query(withPlainResult(connection, statement.sql), statement.parameters, callback);
    }
  });
}
