import { type DataSource, QueryFailedError } from 'typeorm';

import type { Statement, StatementResult } from '../../operation.js';
import type { Send } from '../../run-operation.js';
import { withoutValues } from '../../without-values.js';
import type { Callback, Connection } from './connection.js';
import { sendPrepared } from './prepared-statements.js';

/**
 * Sends statements without TypeORM's query runner in between: for each it loads a module again, takes a stack, and tells
 * listeners that are not there.
 *
 * @param prepares whether statements that recur are prepared.
 */
export function throughDriver(connection: Connection, prepares: boolean): Send {
  return async (statement) => {
    try {
      return await answerTo(connection, statement, prepares);
    } catch (error) {
      // As a query runner does, and here: after the await the stack shows where the statement came from.
      throw new QueryFailedError(statement.sql, [], withoutValues(error) as Error);
    }
  };
}

function answerTo(connection: Connection, statement: Statement, prepares: boolean): Promise<StatementResult> {
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
      sendPrepared(connection, statement, callback);
    } else {
      connection.query(statement.sql, statement.parameters, callback);
    }
  });
}

/** Whether the application has asked to see the statements on its data source, or to be told of the slow ones. */
export function isObserved({ options, subscribers }: DataSource): boolean {
  return (
    Boolean(options.logging) ||
    typeof options.logger === 'object' ||
    options.maxQueryExecutionTime !== undefined ||
    subscribers.some((subscriber) => 'beforeQuery' in subscriber || 'afterQuery' in subscriber)
  );
}
