import { isThenable } from '../../async/thenable.js';
import { JobParkedError } from '../../errors/index.js';
import { Attempt } from './attempt.js';

/**
 * Makes the promise of a handler reject when its job starts to wait, so that code around it can end. The outcome of the
 * attempt is fixed then, whatever becomes of the error.
 *
 * @param job the context of the handler.
 * @param result what the handler has returned.
 */
export function rejectWhenParked(job: unknown, result: unknown): unknown {
  if (!(job instanceof Attempt) || !isThenable(result)) {
    return result;
  }
  return new Promise((resolve, reject) => {
    job.onEarlyEnd(() => reject(new JobParkedError()));
    result.then(resolve, reject);
  });
}
