import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import type { NewJob } from '../jobs/new-job.js';
import type { OrderedJob } from './order-key.js';

export function isOrdered<Job extends Pick<NewJob, 'order'>>(
  job: Job,
): job is Job & { readonly order: NonNullable<NewJob['order']> } {
  return job.order !== null;
}

/**
 * Gives jobs their places, in their order. Part of the transaction that stores the jobs.
 *
 * The database counts the places up without a lock, so no transaction waits for another one of its key. A place that
 * was committed before another was given is the lower one. After the commit someone must advance the keys: see
 * `advance-keys.ts`.
 */
export function insertOrdered({ tables }: Dialect, jobs: readonly OrderedJob[]): Operation<number> {
  const rows = jobs.map(({ id, name, key }) => sql`(${id}, ${name}, ${key})`);
  return change(sql`INSERT INTO ${tables.ordered} (job_id, name, order_key) VALUES ${sql.join(rows)}`);
}
