import type { Parameter } from '../engine/operation.js';
import type { Fence } from './claimed-job.js';

/** The condition under which jobs are still this owner's, this attempt's and running. */
export function fenced(jobs: readonly Fence[]): { readonly sql: string; readonly parameters: Parameter[] } {
  return {
    sql: `state = 'running' AND (${jobs.map(() => '(id = ? AND owner = ? AND attempt = ?)').join(' OR ')})`,
    parameters: jobs.flatMap(({ id, owner, attempt }) => [id, owner, attempt]),
  };
}

/** Jobs in the order of their ids, the order in which every batch locks its rows: two batches never wait in a circle. */
export function inKeyOrder<Job extends Pick<Fence, 'id'>>(jobs: readonly Job[]): Job[] {
  return [...jobs].sort((a, b) => Buffer.compare(a.id, b.id));
}
