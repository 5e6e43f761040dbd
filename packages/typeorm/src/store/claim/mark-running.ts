import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { hasExpired } from '../base/jobs/has-expired.js';
import { inKeyOrder } from '../base/locks/fence.js';
import type { ClaimRequest, TakenJobs } from './claim-strategy.js';

/**
 * The statement that marks ready jobs as running: ready → running, `attempt + 1`. It skips jobs that another claim has
 * taken since they were found. Index: the primary key, in its order.
 *
 * Each column it sets has a fixed size and is not null, so InnoDB changes the row in place: see docs/decisions/0005.
 *
 * @param canExpire whether some of the jobs can expire: it skips those that have expired since they were found.
 */
export function markRunning(
  dialect: Dialect,
  { owner, number }: ClaimRequest,
  ids: readonly Buffer[],
  canExpire = false,
): Fragment {
  const { tables, byPrimaryKey, now, idList } = dialect;
  const inTime = canExpire ? sql` AND (expires_at IS NULL OR NOT ${hasExpired(dialect)})` : sql.empty;
  return sql`
    UPDATE ${tables.job} ${byPrimaryKey}
    SET state = 'running', owner = ${owner}, lane = ${owner}, position = ${number}, attempt = attempt + 1,
        claimed_at = ${now}
    WHERE id IN (${idList(ids)}) AND state = 'ready'${inTime}`;
}

/**
 * Marks locked ready jobs as running. Part of a transaction. If some have limits, the time of the start is compared
 * with the expiry time again, and one more statement may follow. See docs/decisions/0128.
 */
export function* markInTime(
  dialect: Dialect,
  request: ClaimRequest,
  jobs: readonly ClaimedJob[],
): Operation<TakenJobs> {
  const ids = inKeyOrder(jobs).map(({ id }) => id);
  const canExpire = jobs.some((job) => job.canExpire);
  if ((yield* change(markRunning(dialect, request, ids, canExpire))) === ids.length || !canExpire) {
    return { jobs, expired: [] };
  }
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
        WHERE id IN (${dialect.idList(ids)}) AND state = 'ready'`,
  );
  const late = new Set(rows.map(({ id }) => id.toString('hex')));
  return {
    jobs: jobs.filter(({ id }) => !late.has(id.toString('hex'))),
    expired: ids.filter((id) => late.has(id.toString('hex'))),
  };
}
