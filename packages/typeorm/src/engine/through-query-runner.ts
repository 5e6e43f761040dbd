import type { QueryResult, QueryRunner } from 'typeorm';

import type { Send } from './run-operation.js';
import { withoutValues } from './without-values.js';

/**
 * Sends statements as the application sends its own: its query log and its subscribers see them.
 *
 * @param check throws for an answer of the driver that must not be.
 */
export function throughQueryRunner(queryRunner: QueryRunner, check?: (answer: unknown) => void): Send {
  return async ({ sql, parameters }) => {
    try {
      const { raw, records, affected }: QueryResult = await queryRunner.query(sql, parameters as unknown[], true);
      check?.(raw);
      return { rows: records ?? [], affected: affected ?? 0 };
    } catch (error) {
      throw withoutValues(error);
    }
  };
}
