import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { isLive } from '../../tables/job.js';
import type { LiveState, Outcome } from '../../tables/job.js';

/** A set of children that have all ended, and their parent. */
export interface FinishedSet {
  readonly id: Buffer;
  readonly parent: Buffer;
}

/** Finds the parents of sets of children that have all ended. Index: the primary key. Locks nothing. */
export function* findFinishedParents({ tables }: Dialect, sets: readonly Buffer[]): Operation<FinishedSet[]> {
  const rows = yield* select<FinishedSet>(
    sql`SELECT id, parent FROM ${tables.group}
        WHERE id IN (${sql.list(sets)}) AND finished_at IS NOT NULL AND parent IS NOT NULL`,
  );
  return [...rows];
}

/**
 * Finds children that have not ended although their parent has, up to `limit`, without those that were asked to. Index:
 * the unfinished groups, then the primary keys. Locks nothing.
 */
export function* findChildrenOfEnded(
  { tables, byFinished, byPrimaryKey }: Dialect,
  limit: number,
): Operation<Buffer[]> {
  const rows = yield* select<{ id: Buffer; state: LiveState | Outcome | null }>(
    sql`SELECT member.job_id AS id, job.state
        FROM ${tables.group} one ${byFinished}
        JOIN ${tables.member} member ${byPrimaryKey} ON member.group_id = one.id AND member.outcome = 'open'
        LEFT JOIN ${tables.job} job ${byPrimaryKey} ON job.id = one.parent
        LEFT JOIN ${tables.cancellation} asked ${byPrimaryKey} ON asked.job_id = member.job_id
        WHERE asked.job_id IS NULL AND one.finished_at IS NULL AND one.parent IS NOT NULL
          AND (job.id IS NULL OR job.state IN ('succeeded', 'failed', 'cancelled', 'expired'))
        LIMIT ${sql.integer(limit)}`,
  );
  return rows.filter(({ state }) => state === null || !isLive(state)).map(({ id }) => id);
}
