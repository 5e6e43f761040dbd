import type { Fragment, Parameter } from '../../engine/operation.js';
import type { FinishedJob } from './finish-jobs.js';

/**
 * An expression for the result of a row's job, where every row is that of one of these jobs: it halves them by their ids until
 * one is left, or none of those that are left has a result. So the row of one of 800 jobs is compared with ten ids, and no
 * server needs a table of ids and results to join.
 *
 * @param inOrder of their ids, which differ.
 */
export function resultCaseExpression(inOrder: readonly FinishedJob[]): Fragment {
  const parameters: Parameter[] = [];
  const sql = choose(inOrder, parameters);
  return { sql, parameters };
}

/** Adds the parameters in the order in which they stand in what it returns. */
function choose(jobs: readonly FinishedJob[], parameters: Parameter[]): string {
  if (jobs.every(({ result }) => result === null)) {
    return 'NULL';
  }
  if (jobs.length === 1) {
    parameters.push(jobs[0]?.result ?? null);
    return '?';
  }
  const half = jobs.length >> 1;
  parameters.push(jobs[half]?.job.id ?? null);
  const [lower, upper] = [choose(jobs.slice(0, half), parameters), choose(jobs.slice(half), parameters)];
  return `CASE WHEN id < ? THEN ${lower} ELSE ${upper} END`;
}
