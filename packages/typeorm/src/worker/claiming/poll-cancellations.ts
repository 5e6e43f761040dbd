import { WakeUp } from '../../async/wake-up.js';
import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import { findSignals } from '../../store/claim/signals.js';
import type { JobPool } from '../running/job-pool.js';
import { SIGNALS_INTERVAL } from './queue-poller.js';

/**
 * Cancels running jobs on request while nothing is claimed: a claimer that polls does so itself. Polls until no job
 * runs any more.
 *
 * @returns stops polling; resolves when no poll is under way.
 */
export function pollCancellations(
  engine: Engine,
  queues: readonly string[],
  pool: JobPool,
  logger: QueueLogger,
): () => Promise<void> {
  const wakeUp = new WakeUp();
  const stopping = new AbortController();
  const options = { purpose: 'read signals', readOnly: true };
  const poll = async () => {
    while (!stopping.signal.aborted && pool.count > 0) {
      try {
        const { cancelled } = await engine.execute((dialect) => findSignals(dialect, queues, false), options);
        pool.cancelJobs(cancelled);
      } catch (error) {
        logError(logger, 'Requests to cancel could not be read', error);
      }
      await wakeUp.sleep(SIGNALS_INTERVAL);
    }
  };
  const polling = poll();
  return () => {
    stopping.abort();
    wakeUp.wake();
    return polling;
  };
}
