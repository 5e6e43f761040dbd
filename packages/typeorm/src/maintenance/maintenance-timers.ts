import { type Duration, toMilliseconds } from '../definition/duration.js';
import { type QueueLogger, consoleLogger, logError } from '../logger.js';
import { assertKnownOptions } from '../options.js';
import type { MaintenanceService } from './maintenance-service.js';
import { Ticker } from './ticker.js';

/** How often due jobs are made ready, in ms. */
export const DEFAULT_RETRIER_INTERVAL: Duration = '500ms';
/** How often the jobs of dead workers are looked for, in ms. */
export const DEFAULT_REAPER_INTERVAL: Duration = '5s';

/** How often maintenance is done, over all processes together. */
export interface MaintenanceIntervals {
  /** A delayed job or a retry starts up to this much late. At least 10 ms. Default: 500 ms. */
  readonly retrier?: Duration;
  /** Jobs of a dead worker wait up to this long after its lease has ended. At least 10 ms. Default: 5 s. */
  readonly reaper?: Duration;
}

/**
 * Runs a worker's retrier and reaper by timers of their own, for applications without a scheduler.
 *
 * @returns a function that ends it and resolves when nothing of it runs any more. Call it before `worker.stop()`.
 */
export function startMaintenance(
  worker: { readonly retrier: MaintenanceService<unknown>; readonly reaper: MaintenanceService<unknown> },
  intervals: MaintenanceIntervals = {},
  logger: QueueLogger = consoleLogger,
): () => Promise<void> {
  assertKnownOptions(intervals, ['retrier', 'reaper']);
  const tickers = [
    ticker('retrier', worker.retrier, intervals.retrier ?? DEFAULT_RETRIER_INTERVAL, logger),
    ticker('reaper', worker.reaper, intervals.reaper ?? DEFAULT_REAPER_INTERVAL, logger),
  ];
  tickers.forEach((each) => each.start());
  return async () => {
    await Promise.all(tickers.map((each) => each.stop()));
  };
}

function ticker(name: string, service: MaintenanceService<unknown>, interval: Duration, logger: QueueLogger): Ticker {
  const milliseconds = toMilliseconds(name, interval, 10);
  return new Ticker(
    () => service.runIfDue(milliseconds),
    milliseconds,
    (error) => logError(logger, `The ${name} failed and is tried again`, error),
  );
}
