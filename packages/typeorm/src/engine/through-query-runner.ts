import { QueryFailedError, type QueryResult, type QueryRunner } from 'typeorm';

import type { Row } from './operation.js';
import type { Send } from './run-operation.js';
import type { Fragment } from './sql.js';
import { withoutValues } from './without-values.js';

/**
 * Sends statements as the application does: its query log and its subscribers see them.
 *
 * @param check throws for an answer of the driver that is not acceptable.
 */
export function throughQueryRunner(queryRunner: QueryRunner, check?: (answer: unknown) => void): Send {
  return async ({ sql, parameters }) => {
    try {
      const { raw, records, affected }: QueryResult = await queryRunner.query(sql, parameters as unknown[], true);
      check?.(raw);
      return { rows: records ?? [], affected: affected ?? 0 };
    } catch (error) {
      if (error instanceof QueryFailedError) {
        // TypeORM 0.3 makes it in a callback of the driver. Here, after the await, the stack shows the caller.
        Error.captureStackTrace(error);
      }
      throw withoutValues(error);
    }
  };
}

/** Runs a statement on a query runner and returns its rows, if it is one that has some. */
export async function queryOn<R = Row>(queryRunner: QueryRunner, { sql, parameters }: Fragment): Promise<readonly R[]> {
  return (await queryRunner.query(sql, parameters as unknown[])) as readonly R[];
}
