import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type ClaimedJob, claimedColumns, isExpired, toClaimedJob } from '../base/jobs/claimed-job.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';
import { freeKeysOfClaimed, lockKeysOf } from '../base/keys/unique-keys.js';
import type { TenantJob } from './tenant-lanes.js';
import type { ClaimRequest, TakenJobs } from './claim-strategy.js';
import { markInTime } from './mark-running.js';

/**
 * Takes ready jobs that have not changed since they were found, up to a limit: ready → running, `attempt + 1`. Part of
 * a transaction.
 *
 * Index: the primary key. Locks: the unique keys, then the jobs' rows, as an enqueue does, so there are no deadlocks
 * where SKIP LOCKED is missing. Skips jobs that are locked or whose unique key is locked, and expired ones. Since a job
 * was found another claim may have taken it, or an enqueue may have replaced it by a job of another tenant.
 */
export function* lockAndMark(
  dialect: Dialect,
  request: ClaimRequest,
  found: readonly TenantJob[],
  limit: number,
): Operation<TakenJobs> {
  const { tables, byPrimaryKey } = dialect;
  const { keys, busy } = yield* lockKeysOf(dialect, found);
  const open = found.filter((job) => !busy.has(job));
  const rows = yield* lockSkippingLocked(
    dialect,
    inKeyOrder(open),
    ({ id }) => id.toString('hex'),
    (some, locking) => {
      const ids = sql.list(some.map(({ id }) => id));
      return sql`SELECT ${claimedColumns(dialect)} FROM ${tables.job} ${byPrimaryKey}
                 WHERE id IN (${ids}) AND queue = ${request.queue} AND state = 'ready' ${locking}`;
    },
  );
  const byId = new Map(rows.map((row) => [(row.id as Buffer).toString('hex'), row]));
  const same: ClaimedJob[] = [];
  const expired: Buffer[] = [];
  for (const { id, tenant } of open) {
    const row = byId.get(id.toString('hex'));
    if (row && isExpired(row)) {
      expired.push(id);
    } else if (row && row.tenant === tenant && same.length < limit) {
      same.push(toClaimedJob(row, Number(row.attempt) + 1, request));
    }
  }
  if (same.length === 0) {
    return { jobs: [], expired };
  }
  const started = yield* markInTime(dialect, request, same);
  return {
    jobs: yield* freeKeysOfClaimed(dialect, started.jobs, keys),
    expired: [...expired, ...started.expired],
  };
}
