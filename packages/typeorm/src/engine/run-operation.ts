import type { Operation, Statement, StatementResult, Step } from './operation.js';

/** Sends one statement on one connection. */
export type Send = (statement: Statement) => Promise<StatementResult>;

/**
 * Runs an operation step by step.
 *
 * @param onAnswer called for each statement that was answered.
 */
export async function runOperation<T>(
  send: Send,
  operation: Operation<T>,
  onAnswer: () => void = () => undefined,
): Promise<T> {
  const run: Send = async (statement) => {
    const result = await send(statement);
    onAnswer();
    return result;
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

async function runStep(statements: Step, run: Send): Promise<readonly StatementResult[]> {
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
