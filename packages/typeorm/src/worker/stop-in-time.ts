import { endsWithin } from '../async/ends-within.js';
import { LONGEST_TIMER } from '../duration.js';
import type { ResolvedWorkerOptions } from './worker-options.js';

/** How much longer than `shutdownTimeout` a stop lasts at most, in ms, where the database does not answer. */
const STOP_PATIENCE = 5_000;

/**
 * Stops a worker within one deadline over all steps.
 *
 * @param stop the steps, which may wait for the database.
 * @param close closes the connections, and waits for the database for so many ms at most.
 */
export async function stopInTime(
  { shutdownTimeout, logger }: Pick<ResolvedWorkerOptions, 'shutdownTimeout' | 'logger'>,
  stop: () => Promise<void>,
  close: (patience: number) => Promise<unknown>,
): Promise<void> {
  const limit = Math.min(shutdownTimeout + STOP_PATIENCE, LONGEST_TIMER);
  const until = performance.now() + limit;
  try {
    if (!(await endsWithin(stop(), limit))) {
      logger.warn(
        `The worker stops after ${limit} ms, although the database does not answer. Its lease ends after its time; ` +
          'then other workers run its jobs.',
      );
    }
  } finally {
    await close(Math.max(0, until - performance.now()));
  }
}
