import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders } from '../../engine/operation.js';
import { CLAIMED_COLUMNS, type ClaimedJob, toClaimedJob } from '../base/claimed-job.js';
import { inKeyOrder } from '../base/fence.js';
import { lockSkippingLocked } from '../base/lock-skipping-locked.js';
import { endQueued, lockKeysOf } from '../base/unique-keys.js';
import type { WaitingJob } from './tenant-lanes.js';
import type { ClaimRequest } from './claim-strategy.js';
import { markRunning } from './mark-running.js';

/**
 * Takes the first of some waiting jobs that are as they were found, up to a limit: ready → running, `attempt + 1`. Part of
 * a transaction.
 *
 * Index: the primary key. Locks: the unique keys, then the jobs' rows, in the order of an enqueue: where SKIP LOCKED is
 * missing, nobody waits in a circle. Passes over jobs that somebody else has locked, or whose unique key is locked. Another claim may have taken one, or an enqueue given it to another tenant, since it was found.
 */
export function* lockAndMark(
  dialect: Dialect,
  request: ClaimRequest,
  waiting: readonly WaitingJob[],
  limit: number,
): Operation<readonly ClaimedJob[]> {
  const { tables, byPrimaryKey } = dialect;
  const { keys, busy } = yield* lockKeysOf(dialect, waiting);
  const open = waiting.filter((job) => !busy.has(job));
  const rows = yield* lockSkippingLocked(
    dialect,
    inKeyOrder(open),
    ({ id }) => id.toString('hex'),
    (some, locking) => ({
      sql: `SELECT ${CLAIMED_COLUMNS} FROM ${tables.job} ${byPrimaryKey}
            WHERE id IN (${placeholders(some)}) AND queue = ? AND state = 'ready' ${locking}`,
      parameters: [...some.map(({ id }) => id), request.queue],
    }),
  );
  const byId = new Map(rows.map((row) => [(row.id as Buffer).toString('hex'), row]));
  const same = open.flatMap(({ id, tenant }) => {
    const row = byId.get(id.toString('hex'));
    return row && row.tenant === tenant ? toClaimedJob(row, Number(row.attempt) + 1, request) : [];
  });
  const jobs = yield* endQueued(dialect, same.slice(0, limit), keys);
  if (jobs.length > 0) {
    const { sql, parameters } = markRunning(
      dialect,
      request,
      inKeyOrder(jobs).map(({ id }) => id),
    );
    yield* change(sql, parameters);
  }
  return jobs;
}
