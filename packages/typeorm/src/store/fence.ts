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
  return inKeyOrderOf(jobs, (job) => job);
}

/** The same for things that each are about one job. */
export function inKeyOrderOf<Item>(items: readonly Item[], jobOf: (item: Item) => Pick<Fence, 'id'>): Item[] {
  return [...items].sort((a, b) => Buffer.compare(jobOf(a).id, jobOf(b).id));
}
