import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, change, placeholders, select } from '../../engine/operation.js';
import { deleteFailures } from './delete-finished-jobs.js';
import { deleteCancellations } from '../base/delete-cancellations.js';
import { type HistoryKeyRow, historyCursorOf, cursorValues } from '../base/history-cursor.js';
import { readyPosition } from '../base/sort-key.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../base/queued-job.js';
import { laneOf } from '../claim/tenant-lanes.js';

/** A job to put back. */
export interface RetryRequest {
  readonly id: Buffer;
  /** Only if it ended at this time, in ms: what was asked of it holds for that end. Undefined: whenever it did. */
  readonly finishedAt?: number;
}

interface FinishedRow extends HistoryKeyRow, QueuedRow {
  readonly state: string;
}

/**
 * failed or cancelled → ready: out of the history and into the live table, under the same id, behind the jobs that are
 * ready already. Part of a transaction: before its commit the job is in the history, from then on in the live table.
 *
 * The attempt goes on being counted, so whatever an earlier worker still sends is fenced off; the failures and the
 * crashes begin anew. The key and the errors are kept. A unique key is not taken again: another job may have it by now.
 * What is noted of the failure is forgotten, and so is a request to cancel the job that came too late for its last run: it
 * would end the next one.
 *
 * Index: the primary keys. Locks: the history's rows, in the order of their days and ids. What is not seen is not looked up
 * with a lock, which would lock a gap at REPEATABLE READ. A long transaction may still see a row that is gone: then it
 * locks the gap at that place, one, and the job is not put back. Wherever else it may have ended again is not looked
 * for: by the id alone that would lock a gap in every day. Does nothing the second time.
 *
 * @param requests in key order.
 * @param skipsLocked passes over jobs that somebody else puts back, or deletes, just now; otherwise waits for it.
 */
export function* retryFinishedJobs(
  dialect: Dialect,
  requests: readonly RetryRequest[],
  skipsLocked: boolean,
): Operation<QueuedJob[]> {
  const locked = yield* lockEnded(dialect, requests, skipsLocked);
  if (locked.length === 0) {
    return [];
  }
  const { tables, byPrimaryKey, atPlaces, deletePlaces, now } = dialect;
  const ids = locked.map(({ id }) => id);
  const lane = laneOfRow(locked);
  const places = cursorValues(locked.map(historyCursorOf));
  yield* change(
    `INSERT INTO ${tables.job}
       (id, queue, state, owner, lane, position, name, job_key, unique_key, payload, payload_version, priority, attempt,
        failures, crashes, last_error, progress, tenant, trace, created_at, run_at, claimed_at)
     SELECT id, queue, 'ready', ${lane.sql}, ${lane.sql}, ${readyPosition('priority', now)}, name, job_key, NULL, payload,
        payload_version, priority, attempt, 0, 0, error, progress, tenant, trace, created_at, ${now},
        COALESCE(claimed_at, 0)
     FROM ${tables.history} ${byPrimaryKey} WHERE ${atPlaces(locked.length)}`,
    [...lane.parameters, ...lane.parameters, ...places],
  );
  yield* deleteFailures(dialect, locked);
  yield* deleteCancellations(dialect, ids);
  yield* change(deletePlaces(locked.length), places);
  return locked.map(toQueuedJob);
}

/** An expression for the lane of a row, by its tenant: the history has no column for it. */
function laneOfRow(rows: readonly FinishedRow[]): Fragment {
  const tenants = [...new Set(rows.flatMap(({ tenant }) => tenant ?? []))];
  return {
    sql: tenants.length === 0 ? '0' : `CASE tenant ${tenants.map(() => 'WHEN ? THEN ?').join(' ')} ELSE 0 END`,
    parameters: tenants.flatMap((tenant) => [tenant, laneOf(tenant)]),
  };
}

function* lockEnded(
  { tables, byPrimaryKey, atPlaces, forUpdate, forUpdateSkipLocked }: Dialect,
  requests: readonly RetryRequest[],
  skipsLocked: boolean,
): Operation<readonly FinishedRow[]> {
  const ended = (condition: string) =>
    `SELECT id, queue, priority, tenant, state, finished_at FROM ${tables.history} ${byPrimaryKey}
     WHERE (${condition}) AND state <> 'succeeded'`;
  const asked = requests.map(({ id }) => id);
  const among = `id IN (${placeholders(asked)})`;
  const found = asked.length === 0 ? [] : yield* select<FinishedRow>(ended(among), asked);
  const times = new Map(requests.map(({ id, finishedAt }) => [id.toString('hex'), finishedAt]));
  const places = found.map(historyCursorOf).filter(({ id, finishedAt }) => {
    const time = times.get(id.toString('hex'));
    return time === undefined || time === finishedAt;
  });
  if (places.length === 0) {
    return [];
  }
  const values = cursorValues(places);
  const locking = skipsLocked ? forUpdateSkipLocked : forUpdate;
  return yield* select<FinishedRow>(`${ended(atPlaces(places.length))} ${locking}`, values);
}
