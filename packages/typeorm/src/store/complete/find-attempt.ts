import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import type { Fence } from '../base/jobs/claimed-job.js';
import { lockRunning } from '../base/locks/lock-running.js';

/** The state of one attempt. */
export type AttemptPresence =
  /** The job is live and this is still its attempt. */
  | 'running'
  /** This attempt has finished the job: it is deleted where nothing is kept. */
  | 'finished'
  /** Another worker has taken the job over, or ended it. */
  | 'lost'
  /** Not known yet: another transaction has locked the job, perhaps the one that ends it. */
  | 'busy';

/**
 * Finds out whether an attempt was completed by a COMMIT whose outcome is unknown. Part of a transaction.
 *
 * Locks the job's row, by primary key. A COMMIT that still runs in the server holds the row, so the answer is final
 * when the lock is granted, and stays true until this transaction ends.
 *
 * @param keep whether a completed job is kept.
 */
export function* findAttempt(dialect: Dialect, attempt: Fence, keep: 'all' | 'none'): Operation<AttemptPresence> {
  const { ours, busy, ended, gone } = yield* lockRunning(dialect, [attempt], (each) => each);
  if (busy.length > 0) {
    return 'busy';
  }
  if (ours.length > 0) {
    return 'running';
  }
  return (keep === 'none' ? gone : ended).length > 0 ? 'finished' : 'lost';
}
