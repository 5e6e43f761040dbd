import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { assertQueueName } from '../definition/names.js';
import { type QueueLogger, carefulLogger, consoleLogger } from '../logger.js';
import { type MaintenanceIntervals, type ResolvedMaintenance, resolveMaintenance } from '../maintenance/intervals.js';
import type { RetentionOptions } from '../maintenance/retention.js';
import { assertKnownOptions, wholeNumber } from '../options.js';

/** What can be set for one queue. */
export interface QueueSettings {
  /** How many jobs of this queue one worker runs at a time: 1 to 10,000. Default: the worker's `concurrency`. */
  readonly concurrency?: number;
}

/** How a worker works. */
export interface WorkerOptions {
  /** Settings by queue. Queues this worker has no handler for are not claimed from. */
  readonly queues?: Readonly<Record<string, QueueSettings>>;
  /** How many jobs of each queue the worker runs at a time: 1 to 10,000. Default: 10. */
  readonly concurrency?: number;
  /**
   * How long the worker may be silent before others take its jobs over; it renews three times as often. At least 1 s.
   * Default: 30 s.
   */
  readonly lease?: Duration;
  /** How long an idle worker waits at most before it looks again for jobs of other processes. At least 10 ms. Default: 250 ms. */
  readonly pollInterval?: Duration;
  /** How long `stop` waits for running handlers before it hands their jobs back. Default: 20 s. */
  readonly shutdownTimeout?: Duration;
  /**
   * How often this worker looks for due jobs, for dead workers and for finished jobs to delete; one process at a time
   * does it, however many run. `false` leaves it to others: somebody has to, or the jobs of dead workers never run. Due
   * jobs of its own queues a worker takes in any case. Default: every 30 s, 5 s and 10 min.
   */
  readonly maintenance?: MaintenanceIntervals | false;
  /**
   * What is kept of finished jobs. `false` keeps everything, for ever. Default: succeeded ones for 7 days, failed and
   * cancelled ones for 30 days.
   */
  readonly retention?: RetentionOptions | false;
  /** Where the worker reports what nobody awaits. Default: warnings and errors to the console. */
  readonly logger?: QueueLogger;
}

/** Worker options, checked and complete. Durations in ms. */
export interface ResolvedWorkerOptions {
  readonly concurrencyOf: (queue: string) => number;
  readonly lease: number;
  readonly pollInterval: number;
  readonly shutdownTimeout: number;
  readonly maintenance: ResolvedMaintenance | undefined;
  /** Checked where it is used: by the pruner. */
  readonly retention: RetentionOptions | false | undefined;
  readonly logger: QueueLogger;
}

/** The names of the worker's options. */
export const WORKER_OPTIONS: readonly string[] = [
  'queues',
  'concurrency',
  'lease',
  'pollInterval',
  'shutdownTimeout',
  'maintenance',
  'retention',
  'logger',
];

const MOST_CONCURRENCY = 10_000;

/** @throws InvalidOptionError, UnknownOptionError, InvalidNameError */
export function resolveWorkerOptions(options: WorkerOptions): ResolvedWorkerOptions {
  assertKnownOptions(options, WORKER_OPTIONS);
  const { queues = {}, concurrency = 10, maintenance = {}, logger = consoleLogger } = options;
  wholeNumber('concurrency', concurrency, 1, MOST_CONCURRENCY);
  assertKnownOptions(queues, Object.keys(queues), 'queues.');
  const byQueue = new Map<string, number>();
  for (const [queue, settings] of Object.entries(queues)) {
    assertQueueName(queue);
    assertKnownOptions(settings, ['concurrency'], `queues.${queue}.`);
    const { concurrency: own = concurrency } = settings;
    byQueue.set(queue, wholeNumber(`queues.${queue}.concurrency`, own, 1, MOST_CONCURRENCY));
  }
  return {
    concurrencyOf: (queue) => byQueue.get(queue) ?? concurrency,
    lease: toMilliseconds('lease', options.lease ?? '30s', 1000, LONGEST_TIMER),
    pollInterval: toMilliseconds('pollInterval', options.pollInterval ?? '250ms', 10, LONGEST_TIMER),
    shutdownTimeout: toMilliseconds('shutdownTimeout', options.shutdownTimeout ?? '20s', 0, LONGEST_TIMER),
    maintenance: maintenance === false ? undefined : resolveMaintenance(maintenance),
    retention: options.retention,
    logger: carefulLogger(logger),
  };
}
