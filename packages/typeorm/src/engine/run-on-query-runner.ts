import type { QueryResult, QueryRunner } from 'typeorm';

import type { Operation, Statement, StatementResult, Step } from './operation.js';

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
    let results: readonly StatementResult[];
    try {
      results = await runStep(step.value, run);
    } catch (error) {
      step = operation.throw(error);
      continue;
    }
    step = operation.next(results);
  }
  return step.value;
}

async function runStep(
  statements: Step,
  run: (statement: Statement) => Promise<StatementResult>,
): Promise<readonly StatementResult[]> {
  const [first] = statements;
  if (first && statements.length === 1) {
    return [await run(first)];
  }
  // All are waited for, also where one fails: nothing may be under way when the transaction is rolled back.
  const answers = await Promise.allSettled(statements.map(run));
  return answers.map((answer) => {
    if (answer.status === 'rejected') {
      throw answer.reason;
    }
    return answer.value;
  });
}
