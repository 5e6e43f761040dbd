import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { assertKnownOptions } from '../options.js';

/** How often maintenance tasks run, over all processes together. */
export interface MaintenanceIntervals {
  /**
   * How often due jobs become ready in queues without an idle worker; an idle worker makes them ready on time. 10 ms to
   * 24 days. Default: 30 s.
   */
  readonly retrier?: Duration;
  /** How often jobs of dead workers, whose lease has ended, become ready again. 10 ms to 24 days. Default: 5 s. */
  readonly reaper?: Duration;
  /** How often finished jobs beyond their `retention` are deleted. 10 ms to 24 days. Default: 10 min. */
  readonly pruner?: Duration;
  /**
   * How often schedules are read that another process has set, changed or resumed; known schedules fire on time. 10 ms
   * to 24 days. Default: 30 s.
   */
  readonly scheduler?: Duration;
}

/** Intervals in ms. */
export type ResolvedMaintenance = Readonly<Record<keyof MaintenanceIntervals, number>>;

/** @throws InvalidOptionError, UnknownOptionError */
export function resolveMaintenance(intervals: MaintenanceIntervals = {}): ResolvedMaintenance {
  assertKnownOptions(intervals, ['retrier', 'reaper', 'pruner', 'scheduler'], 'maintenance.');
  const { retrier = '30s', reaper = '5s', pruner = '10m', scheduler = '30s' } = intervals;
  return {
    retrier: toMilliseconds('maintenance.retrier', retrier, 10, LONGEST_TIMER),
    reaper: toMilliseconds('maintenance.reaper', reaper, 10, LONGEST_TIMER),
    pruner: toMilliseconds('maintenance.pruner', pruner, 10, LONGEST_TIMER),
    scheduler: toMilliseconds('maintenance.scheduler', scheduler, 10, LONGEST_TIMER),
  };
}
