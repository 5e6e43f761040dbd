import type { Dialect } from '../engine/dialect.js';
import { type Operation, select } from '../engine/operation.js';
import type { Fence } from './claimed-job.js';
import { fenced } from './fence.js';

/** What has become of one run of a job. */
export type RunState =
  /** The job is live and still this run's. */
  | 'running'
  /** The job is in the history, as ended by this run. */
  | 'finished'
  /** Another worker has taken it over, or ended it. */
  | 'lost';

/**
 * Tells whether a run was written down as ended, where nobody knows whether its COMMIT took effect. Part of a
 * transaction.
 *
 * Locks the job's row, by primary key: a COMMIT that is still under way in the server holds it, so there is an answer
 * only when that is over, and it stays true until this transaction ends.
 */
export function* findRun({ tables, byPrimaryKey, forUpdate }: Dialect, run: Fence): Operation<RunState> {
  const fence = fenced([run]);
  const live = yield* select(
    `SELECT id FROM ${tables.job} ${byPrimaryKey} WHERE ${fence.sql} ${forUpdate}`,
    fence.parameters,
  );
  if (live.length > 0) {
    return 'running';
  }
  const ended = yield* select(`SELECT id FROM ${tables.history} WHERE id = ? AND owner = ? AND attempt = ?`, [
    run.id,
    run.owner,
    run.attempt,
  ]);
  return ended.length > 0 ? 'finished' : 'lost';
}
