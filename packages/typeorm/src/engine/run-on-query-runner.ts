import type { QueryResult, QueryRunner } from 'typeorm';

import type { Operation, Statement, StatementResult } from './operation.js';

/**
 * Runs an operation step by step on a query runner.
 *
 * @param progress counts the statements that were answered.
 */
export async function runOnQueryRunner<T>(
  queryRunner: QueryRunner,
  operation: Operation<T>,
  progress = { statements: 0 },
): Promise<T> {
  const run = async ({ sql, parameters }: Statement): Promise<StatementResult> => {
    const { records, affected }: QueryResult = await queryRunner.query(sql, parameters as unknown[], true);
    progress.statements++;
    return { rows: records ?? [], affected: affected ?? 0 };
  };
  let step = operation.next();
  while (!step.done) {
    // All are waited for, also where one fails: nothing may be under way when the transaction is rolled back.
    const answers = await Promise.allSettled(step.value.map(run));
    const failed = answers.find((answer) => answer.status === 'rejected');
    step = failed
      ? operation.throw(failed.reason)
      : operation.next(answers.map((answer) => (answer as PromiseFulfilledResult<StatementResult>).value));
  }
  return step.value;
}
