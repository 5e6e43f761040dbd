import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { assertKnownOptions } from '../options.js';

/** How often maintenance is done, over all processes together. */
export interface MaintenanceIntervals {
  /**
   * Due jobs of queues without an idle worker are made ready this often; an idle worker does so by itself, to the
   * moment. At least 10 ms. Default: 30 s.
   */
  readonly retrier?: Duration;
  /** Jobs of a dead worker wait up to this long after its lease has ended. At least 10 ms. Default: 5 s. */
  readonly reaper?: Duration;
  /** Finished jobs are kept up to this much longer than `retention` says. At least 10 ms. Default: 10 min. */
  readonly pruner?: Duration;
  /**
   * Schedules that another process has set, changed or resumed are noticed within this time; known ones are fired to the
   * moment. At least 10 ms. Default: 30 s.
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
