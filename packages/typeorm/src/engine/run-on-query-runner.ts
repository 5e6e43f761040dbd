import type { QueryResult, QueryRunner } from 'typeorm';

import type { Operation, StatementResult } from './operation.js';

/**
 * Runs an operation statement by statement on a query runner.
 *
 * @param progress counts the statements that were answered.
 */
export async function runOnQueryRunner<T>(
  queryRunner: QueryRunner,
  operation: Operation<T>,
  progress = { statements: 0 },
): Promise<T> {
  let step = operation.next();
  while (!step.done) {
    let result: StatementResult;
    try {
      const { records, affected }: QueryResult = await queryRunner.query(
        step.value.sql,
        step.value.parameters as unknown[],
        true,
      );
      result = { rows: records ?? [], affected: affected ?? 0 };
      progress.statements++;
    } catch (error) {
      step = operation.throw(error);
      continue;
    }
    step = operation.next(result);
  }
  return step.value;
}
