import type { Dialect } from '../../../engine/dialect.js';
import { type Fragment, sql } from '../../../engine/sql.js';

/**
 * The condition that a job has not started before its expiry time; null for a job without one. By the clock of the
 * database. The end of the first attempt removes the expiry time, so a job that waits for a retry has none.
 */
export function hasExpired({ now }: Pick<Dialect, 'now'>): Fragment {
  return sql`expires_at <= ${now}`;
}

/** An assignment: the job has started, or was retried by hand, and has no expiry time any more. */
export const WITHOUT_EXPIRY = sql`expires_at = NULL`;
