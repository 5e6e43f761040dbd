import type { Dialect } from '../engine/dialect.js';
import { type Operation, select } from '../engine/operation.js';
import type { Fence } from './claimed-job.js';
import { amongTheGone } from './drop-jobs.js';
import { fenced } from './fence.js';

/** What has become of one run of a job. */
export type RunState =
  /** The job is live and still this run's. */
  | 'running'
  /** This run has ended the job: it is in the history as its, or nowhere where nothing is kept. */
  | 'finished'
  /** Another worker has taken it over, or ended it. */
  | 'lost';

/**
 * Tells whether a run was written down as ended, where nobody knows whether its COMMIT took effect. Part of a
 * transaction.
 *
 * Locks the job's row, by primary key: a COMMIT that is still under way in the server holds it, so there is an answer
 * only when that is over, and it stays true until this transaction ends.
 *
 * @param keep what is kept of the job where it was ended.
 */
export function* findRun(dialect: Dialect, run: Fence, keep: 'all' | 'none'): Operation<RunState> {
  const { tables, byPrimaryKey, forUpdate } = dialect;
  const fence = fenced([run]);
  const live = yield* select(
    `SELECT id FROM ${tables.job} ${byPrimaryKey} WHERE ${fence.sql} ${forUpdate}`,
    fence.parameters,
  );
  if (live.length > 0) {
    return 'running';
  }
  if (keep === 'none') {
    return (yield* amongTheGone(dialect, [run])).length > 0 ? 'finished' : 'lost';
  }
  const ended = yield* select(`SELECT id FROM ${tables.history} WHERE id = ? AND owner = ? AND attempt = ?`, [
    run.id,
    run.owner,
    run.attempt,
  ]);
  return ended.length > 0 ? 'finished' : 'lost';
}
