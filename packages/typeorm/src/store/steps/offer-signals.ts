import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type LiveState, type Outcome, isLive } from '../../tables/job.js';
import { SIGNAL_STAGE } from '../../tables/signal.js';
import { MOST_IDS } from '../base/chunks.js';
import type { QueuedJob } from '../base/jobs/queued-job.js';
import { isOverdue, mayBeUnheard } from '../base/steps/overdue-signals.js';
import { type SignalKey, changeSignals, deleteSignals, findSignals } from '../base/steps/signal-keys.js';
import { type WaitingRow, wakeWaiting } from './wake-waiting.js';

/**
 * Finds the next jobs with signals for which no process has woken them up, in the order of their ids, up to `MOST_IDS`.
 * Index: the signals by stage, all that are overdue. Locks nothing.
 *
 * @param isEachOverdue whether their processes have had time for it; otherwise all new ones.
 */
export function* findNewSignals(dialect: Dialect, after: Buffer, isEachOverdue: boolean): Operation<Buffer[]> {
  const which = isEachOverdue ? isOverdue(dialect) : sql`stage = ${SIGNAL_STAGE.new}`;
  const rows = yield* select<{ job_id: Buffer }>(
    sql`SELECT DISTINCT job_id FROM ${dialect.tables.signal} ${dialect.bySignalStage}
        WHERE ${which} AND job_id > ${after} ORDER BY job_id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  return rows.map(({ job_id: id }) => id);
}

/** The result of offering signals. */
export interface OfferedSignals {
  /** The jobs that are ready now. */
  readonly ready: readonly QueuedJob[];
  /** Jobs that another transaction has locked: offer their signals again. */
  readonly skipped: readonly Buffer[];
}

interface JobRow extends WaitingRow {
  readonly state: LiveState | Outcome;
}

/**
 * Wakes up jobs that wait for new signals, after the commit of the signals: scheduled or waiting → ready. Deletes
 * signals to jobs that have ended meanwhile. Part of a transaction of its own; a second run changes nothing.
 *
 * Index: the primary keys. Locks: the jobs' rows, in the order of their ids, without those that are locked: one long
 * transaction must not keep other jobs asleep. A worker that parks the job holds its row until its waits are stored. So
 * this finds the wait, or the worker has found the signal, or the job is skipped: see `park-jobs.ts`. Signals are
 * changed by their whole key, so this never waits for a transaction that has not committed its signal.
 *
 * The locking read must be the first of the transaction. The application's connections are at REPEATABLE READ, where a
 * plain read before it would hide waits that are stored meanwhile.
 *
 * If the process dies before the commit, the reaper finds the signals: see `isOverdue`.
 *
 * @param ids up to `MOST_IDS`.
 */
export function* offerSignals(dialect: Dialect, ids: readonly Buffer[]): Operation<OfferedSignals> {
  const { tables, byPrimaryKey } = dialect;
  const locked = yield* select<JobRow>(
    sql`SELECT id, queue, priority, tenant, state, attempt FROM ${tables.job} ${byPrimaryKey}
        WHERE id IN (${sql.list(ids)}) ${dialect.forUpdateSkipLocked}`,
  );
  const skipped = yield* findExisting(
    dialect,
    ids.filter((id) => !locked.some((job) => job.id.equals(id))),
  );
  const offered = ids.filter((id) => !skipped.some((each) => each.equals(id)));
  const stillLive = locked.filter(({ state }) => isLive(state));
  // After the lock: a worker that held a job has stored its waits.
  const signals = offered.length === 0 ? [] : yield* findSignals(dialect, offered, mayBeUnheard(dialect));
  const woken = yield* wakeWaiting(
    dialect,
    stillLive.filter(({ state }) => state === 'scheduled' || state === 'waiting'),
    signals.map(({ job_id: jobId, name }) => ({ jobId, name })),
  );
  const isOfLive = ({ job_id: id }: SignalKey) => stillLive.some((job) => job.id.equals(id));
  yield* changeSignals(signals.filter(isOfLive), (which) => {
    return sql`UPDATE ${tables.signal} ${byPrimaryKey} SET stage = ${SIGNAL_STAGE.offered}
               WHERE stage = ${SIGNAL_STAGE.new} AND (${which})`;
  });
  yield* deleteSignals(
    dialect,
    signals.filter((signal) => !isOfLive(signal)),
  );
  return { ready: woken, skipped };
}

function* findExisting({ tables }: Dialect, ids: readonly Buffer[]): Operation<Buffer[]> {
  if (ids.length === 0) {
    return [];
  }
  const rows = yield* select<{ id: Buffer }>(sql`SELECT id FROM ${tables.job} WHERE id IN (${sql.list(ids)})`);
  return rows.map(({ id }) => id);
}
