import type { QueryResult, QueryRunner } from 'typeorm';

import type { Send } from './run-operation.js';

/** Sends statements as the application sends its own: its query log and its subscribers see them. */
export function throughQueryRunner(queryRunner: QueryRunner): Send {
  return async ({ sql, parameters }) => {
    const { records, affected }: QueryResult = await queryRunner.query(sql, parameters as unknown[], true);
    return { rows: records ?? [], affected: affected ?? 0 };
  };
}
