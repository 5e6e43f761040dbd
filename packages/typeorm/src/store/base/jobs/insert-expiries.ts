import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { type Fragment, type Parameter, sql } from '../../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../chunks.js';
import type { NewJob } from './new-job.js';

/** Whether a new job can expire. A callback cannot: it is due when its group ends. */
export function expires({ expiresIn, waits }: NewJob): boolean {
  return expiresIn !== undefined && !waits;
}

const NONE = sql`NULL`;

/**
 * An expression for `expires_at` of a new job: its `expiresIn` counts from when it is due, or from now if that has
 * passed.
 *
 * @param parameters gets its values.
 */
export function expiryOf(now: Fragment, job: NewJob, parameters: Parameter[]): Fragment {
  const { due, expiresIn } = job;
  if (expiresIn === undefined || !expires(job)) {
    return NONE;
  }
  if ('at' in due) {
    parameters.push(due.at, due.at, expiresIn);
    return sql`CASE WHEN ${sql.open} > ${now} THEN ${sql.open} ELSE ${now} END + ${sql.open}`;
  }
  parameters.push(due.delay + expiresIn);
  return sql`${now} + ${sql.open}`;
}

/**
 * Lets the reaper check jobs when they expire. Part of the transaction that has stored them, or has given them other
 * options. Index and locks: the primary keys of these rows. Copies `expires_at`, so both rows have the same time.
 */
export function* insertExpiries(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  const { tables, byPrimaryKey } = dialect;
  for (const some of chunksOf(ids, MOST_IDS)) {
    yield* change(
      sql`INSERT INTO ${tables.expiry} (job_id, check_at)
          SELECT id, expires_at FROM ${tables.job} ${byPrimaryKey}
          WHERE id IN (${sql.list(some)}) AND expires_at IS NOT NULL
          ${dialect.onConflictUpdate(sql`job_id`)} check_at = ${dialect.newValue(sql`check_at`)}`,
    );
  }
}
