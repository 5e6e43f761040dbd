import type { Dialect } from '../engine/dialect.js';
import { type Operation, change } from '../engine/operation.js';

/** A job's key, or that it has none. */
export interface KeyOfJob {
  readonly id: Buffer;
  readonly key: string | null;
}

/** Deletes the keys of jobs. Only inside the transaction that deletes the jobs, whose rows are locked. Index: the primary key. */
export function* deleteKeys({ tables, deleteFrom }: Dialect, jobs: readonly KeyOfJob[]): Operation<void> {
  const keyed = jobs.filter(({ key }) => key !== null);
  if (keyed.length > 0) {
    yield* change(
      `${deleteFrom(tables.key)} WHERE ${keyed.map(() => '(job_key = ? AND job_id = ?)').join(' OR ')}`,
      keyed.flatMap(({ key, id }) => [key, id]),
    );
  }
}
