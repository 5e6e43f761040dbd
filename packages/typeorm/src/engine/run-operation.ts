import type { Operation, StatementResult, Step } from './operation.js';
import type { Fragment } from './sql.js';

/** Sends one statement on one connection. */
export type Send = (statement: Fragment) => Promise<StatementResult>;

/**
 * Runs an operation step by step.
 *
 * @param onResponse called with the result of each statement that the server has answered.
 */
export async function runOperation<T>(
  send: Send,
  operation: Operation<T>,
  onResponse: (result: StatementResult) => void = () => undefined,
): Promise<T> {
  const run: Send = async (statement) => {
    const result = await send(statement);
    onResponse(result);
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
  // Waits for all, even if one fails: no statement may run while the transaction is rolled back.
  const responses = await Promise.allSettled(statements.map(run));
  return responses.map((response) => {
    if (response.status === 'rejected') {
      throw response.reason;
    }
    return response.value;
  });
}
