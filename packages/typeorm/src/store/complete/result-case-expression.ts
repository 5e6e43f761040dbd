import { type Fragment, type Parameter, sql } from '../../engine/sql.js';
import type { FinishedJob } from './finish-jobs.js';

const NULL = sql`NULL`;

/**
 * An expression for the result of a row's job, where every row is that of one of these jobs: a binary search by id that
 * stops where no job of the rest has a result. So the row of one of 800 jobs is compared with ten ids, and no server
 * needs a table of ids and results to join.
 *
 * @param inOrder the jobs in the order of their ids, which differ.
 */
export function resultCaseExpression(inOrder: readonly FinishedJob[]): Fragment {
  const parameters: Parameter[] = [];
  return sql.bind(search(inOrder, parameters), parameters);
}

/** Adds the parameters in the order in which the expression has them. */
function search(jobs: readonly FinishedJob[], parameters: Parameter[]): Fragment {
  if (jobs.every(({ result }) => result === null)) {
    return NULL;
  }
  if (jobs.length === 1) {
    parameters.push(jobs[0]?.result ?? null);
    return sql.open;
  }
  const half = jobs.length >> 1;
  parameters.push(jobs[half]?.job.id ?? null);
  const lower = search(jobs.slice(0, half), parameters);
  const upper = search(jobs.slice(half), parameters);
  return sql`CASE WHEN id < ${sql.open} THEN ${lower} ELSE ${upper} END`;
}
