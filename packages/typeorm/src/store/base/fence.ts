import type { Dialect } from '../../engine/dialect.js';
import type { Fragment } from '../../engine/operation.js';
import type { Fence } from './claimed-job.js';

/**
 * The condition under which jobs are still this owner's, this attempt's and running.
 *
 * Jobs of one owner and attempt, as a rule all of them, share a list of ids, which is shorter to send and to parse than
 * three comparisons for each.
 */
export function fenced(dialect: Dialect, jobs: readonly Fence[]): Fragment {
  const groups: { owner: number; attempt: number; ids: Buffer[] }[] = [];
  for (const { id, owner, attempt } of jobs) {
    const group = groups.find((each) => each.owner === owner && each.attempt === attempt);
    if (group) {
      group.ids.push(id);
    } else {
      groups.push({ owner, attempt, ids: [id] });
    }
  }
  const conditions = groups.map(({ owner, attempt, ids }): Fragment => {
    const list = dialect.idList(ids);
    return {
      sql: `(owner = ? AND attempt = ? AND id IN (${list.sql}))`,
      parameters: [owner, attempt, ...list.parameters],
    };
  });
  return {
    sql: `state = 'running' AND (${conditions.map(({ sql }) => sql).join(' OR ')})`,
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

/** All three: one batch can hold two runs of one job, when this worker has lost it and claimed it again. */
export function keyOf({ id, owner, attempt }: Fence): string {
  return `${id.toString('hex')}:${owner}:${attempt}`;
}

/** Jobs in the order of their ids, the order in which every batch locks its rows: two batches never wait in a circle. */
export function inKeyOrder<Job extends Pick<Fence, 'id'>>(jobs: readonly Job[]): Job[] {
  return inKeyOrderOf(jobs, (job) => job);
}

/** The same for things that each are about one job. */
export function inKeyOrderOf<Item>(items: readonly Item[], jobOf: (item: Item) => Pick<Fence, 'id'>): Item[] {
  return [...items].sort((a, b) => Buffer.compare(jobOf(a).id, jobOf(b).id));
}
