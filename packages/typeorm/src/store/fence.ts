import type { Parameter } from '../engine/operation.js';
import { placeholders } from '../engine/operation.js';
import type { Fence } from './claimed-job.js';

/**
 * The condition under which jobs are still this owner's, this attempt's and running.
 *
 * Jobs of one owner and attempt, as a rule all of them, share one list of ids: 200 comparisons of three columns each
 * cost MySQL 9.7 four times as much as the list (2026-11-20).
 */
export function fenced(jobs: readonly Fence[]): { readonly sql: string; readonly parameters: Parameter[] } {
  const groups = new Map<string, Fence[]>();
  for (const job of jobs) {
    const key = `${job.owner}:${job.attempt}`;
    const group = groups.get(key);
    if (group) {
      group.push(job);
    } else {
      groups.set(key, [job]);
    }
  }
  const parameters: Parameter[] = [];
  const conditions = [...groups.values()].map((group) => {
    const [{ owner, attempt }] = group as [Fence];
    parameters.push(owner, attempt, ...group.map(({ id }) => id));
    return `(owner = ? AND attempt = ? AND id IN (${placeholders(group)}))`;
  });
  return { sql: `state = 'running' AND (${conditions.join(' OR ')})`, parameters };
}

/** Jobs in the order of their ids, the order in which every batch locks its rows: two batches never wait in a circle. */
export function inKeyOrder<Job extends Pick<Fence, 'id'>>(jobs: readonly Job[]): Job[] {
  return inKeyOrderOf(jobs, (job) => job);
}

/** The same for things that each are about one job. */
export function inKeyOrderOf<Item>(items: readonly Item[], jobOf: (item: Item) => Pick<Fence, 'id'>): Item[] {
  return [...items].sort((a, b) => Buffer.compare(jobOf(a).id, jobOf(b).id));
}
