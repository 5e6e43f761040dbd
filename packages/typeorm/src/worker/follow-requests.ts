import type { QueueLogger } from '../logger.js';
import type { StoredRequest } from '../store/workers/worker-report.js';

/** What a worker does on request. */
export interface RequestActions {
  /** Whether it is stopping already: then it does nothing else. */
  readonly isStopping: () => boolean;
  readonly setQuiet: (isQuiet: boolean) => void;
  readonly stop: () => void;
}

/** Makes a function that does what `queue.control` has requested of a worker, and logs it. */
export function followRequests(logger: QueueLogger, actions: RequestActions): (request: StoredRequest) => void {
  return ({ requested, by }) => {
    if (actions.isStopping()) {
      return;
    }
    const source = by === null ? 'on request' : `as requested by ${JSON.stringify(by)}`;
    switch (requested) {
      case 'stop':
        // A warning, which the default logger shows: the process may have nothing else to do.
        logger.warn(`The worker stops ${source}. Its process goes on.`);
        actions.stop();
        break;
      case 'quiet':
        logger.log(`The worker claims no more jobs ${source}`);
        actions.setQuiet(true);
        break;
      case 'work':
        logger.log(`The worker claims jobs again ${source}`);
        actions.setQuiet(false);
        break;
    }
  };
}
