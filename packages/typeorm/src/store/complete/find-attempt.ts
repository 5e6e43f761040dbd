import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import type { Fence } from '../base/claimed-job.js';
import { lockRunning } from './lock-running.js';

/** What has become of one run of a job. */
export type AttemptPresence =
  /** The job is live and still this run's. */
  | 'running'
  /** This run has ended the job: it is in the history as its, or nowhere where nothing is kept. */
  | 'finished'
  /** Another worker has taken it over, or ended it. */
  | 'lost'
  /** Not to be told yet: another transaction has locked it, which may be the one that is to end it. */
  | 'busy';

/**
 * Tells whether a run was written down as ended, where nobody knows whether its COMMIT took effect. Part of a
 * transaction.
 *
 * Locks the job's row, by primary key: a COMMIT that is still under way in the server holds it, so there is an answer
 * only when that is over, and it stays true until this transaction ends.
 *
 * @param keep what is kept of the job where it was ended.
 */
export function* findAttempt(dialect: Dialect, run: Fence, keep: 'all' | 'none'): Operation<AttemptPresence> {
  const { ours, busy, ended, gone } = yield* lockRunning(dialect, [run], (each) => each);
  if (busy.length > 0) {
    return 'busy';
  }
  if (ours.length > 0) {
    return 'running';
  }
  return (keep === 'none' ? gone : ended).length > 0 ? 'finished' : 'lost';
}
