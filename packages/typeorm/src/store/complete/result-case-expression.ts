import { type Fragment, type Parameter, sql } from '../../engine/sql.js';

/** The result of a job. */
interface JobResult {
  readonly job: { readonly id: Buffer };
  /** JSON text, or null. */
  readonly result: string | null;
}

const NULL = sql`NULL`;

/**
 * An expression for the result of a row's job, where each row belongs to one of these jobs. It is a binary search by
 * id, so the row of one of 800 jobs is compared with ten ids. See docs/decisions/0012.
 *
 * @param inOrder the jobs in the order of their ids, which differ.
 */
export function resultCaseExpression(inOrder: readonly JobResult[]): Fragment {
  const parameters: Parameter[] = [];
  return sql.bind(search(inOrder, parameters), parameters);
}

/** Adds the parameters in the order in which the expression has them. */
function search(jobs: readonly JobResult[], parameters: Parameter[]): Fragment {
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
