import type { Dialect } from '../../../engine/dialect.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import type { Fence } from '../jobs/claimed-job.js';

/**
 * The condition that jobs are still running as the same attempt of the same owner.
 *
 * Jobs of one owner and attempt, usually all of them, share a list of ids: it is shorter to send and to parse than
 * three comparisons for each job.
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
  const conditions = groups.map(
    ({ owner, attempt, ids }) => sql`(owner = ${owner} AND attempt = ${attempt} AND id IN (${dialect.idList(ids)}))`,
  );
  return sql`state = 'running' AND (${sql.join(conditions, sql` OR `)})`;
}

/** Id, owner and attempt: one batch can have two attempts of a job that this worker lost and claimed again. */
export function keyOf({ id, owner, attempt }: Fence): string {
  return `${id.toString('hex')}:${owner}:${attempt}`;
}

/** Jobs in the order of their ids. Every batch locks its rows in this order, so two batches cannot deadlock. */
export function inKeyOrder<Job extends Pick<Fence, 'id'>>(jobs: readonly Job[]): Job[] {
  return inKeyOrderOf(jobs, (job) => job);
}

/** The same for items that each refer to one job. */
export function inKeyOrderOf<Item>(items: readonly Item[], jobOf: (item: Item) => Pick<Fence, 'id'>): Item[] {
  return [...items].sort((a, b) => Buffer.compare(jobOf(a).id, jobOf(b).id));
}
