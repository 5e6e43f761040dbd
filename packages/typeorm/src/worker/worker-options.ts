import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertQueueName } from '../definition/names.js';
import type { ByQueue } from '../definition/queue-name.js';
import { type QueueLogger, carefulLogger, consoleLogger } from '../logger.js';
import { type MaintenanceIntervals, type ResolvedMaintenance, resolveMaintenance } from '../maintenance/intervals.js';
import type { RetentionOptions } from '../maintenance/pruner/retention.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { CLAIM_STRATEGIES } from '../store/claim/claim-strategies.js';

/** What tells others that a worker lives. */
export type Liveness = 'connection' | 'lease';

/** What can be set for one queue. */
export interface QueueSettings {
  /** How many jobs of this queue one worker runs at a time: 1 to 10,000. Default: the worker's `concurrency`. */
  readonly concurrency?: number;
  /**
   * Its share of `totalConcurrency` while other queues have jobs too, 1 to 1000: a queue of weight 3 gets three times the
   * room of one of weight 1. Default: 1.
   */
  readonly weight?: number;
}

/** How a worker works. */
export interface WorkerOptions {
  /** Settings by queue. Queues this worker has no handler for are not claimed from. */
  readonly queues?: ByQueue<QueueSettings>;
  /** How many jobs of each queue the worker runs at a time: 1 to 10,000. Default: 10. */
  readonly concurrency?: number;
  /**
   * How many jobs of all queues together the worker runs at a time: 1 to 10,000. Where it is less than the queues want
   * they share it by their weights, so that none starves. Default: no limit beside those of the queues.
   */
  readonly totalConcurrency?: number;
  /**
   * How long the worker may be silent before others take its jobs over; it renews three times as often. At least 1 s.
   * Default: 30 s.
   */
  readonly lease?: Duration;
  /**
   * What tells others that this worker lives, and whether it looks for others that have died.
   *
   * - `'connection'`: a named lock on a connection of its own, which is free as soon as the server notices that the
   *   process has died; other workers then take its jobs over within about two seconds. It still has a lease, which
   *   alone decides after a restart of the server, and where named locks tell nothing: on SQLite, on Galera and Group
   *   Replication, behind some proxies. The worker finds that out by itself.
   * - `'lease'`: its lease alone, and no further connection.
   *
   * Default: `'connection'`.
   */
  readonly liveness?: Liveness;
  /**
   * How long the named lock of another worker has to be free before this one takes it for dead, from 200 ms to 1 h. A
   * living worker whose connection broke has this long to say so; if it cannot, its jobs run again and what it still does
   * about them is refused. Default: 1 s.
   */
  readonly deadWorkerGracePeriod?: Duration;
  /** How long an idle worker waits at most before it looks again for jobs of other processes. At least 10 ms. Default: 250 ms. */
  readonly pollInterval?: Duration;
  /** How long `stop` waits for running handlers before it hands their jobs back. Default: 20 s. */
  readonly shutdownTimeout?: Duration;
  /**
   * How jobs are claimed on MySQL and MariaDB: `'skip-locked'`, `'compare-and-set'` or `'named-lock'`. Default: `'auto'`,
   * which is `'skip-locked'` where a try at the start shows that it works, and else `'compare-and-set'`.
   */
  readonly claimStrategy?: 'auto' | 'skip-locked' | 'compare-and-set' | 'named-lock';
  /**
   * How often this worker looks for due jobs, for dead workers and for finished jobs to delete, one process at a time
   * however many run, and for schedules. `false` leaves it to others: somebody has to, or the jobs of dead workers never
   * run and no schedule fires. Due jobs of its own queues a worker takes in any case, and workers that have died it finds
   * by `liveness`. Default: every 30 s, 5 s, 10 min and 30 s.
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
  readonly settingsOf: (queue: string) => Required<QueueSettings>;
  readonly totalConcurrency: number;
  readonly lease: number;
  readonly liveness: Liveness;
  readonly deadWorkerGracePeriod: number;
  readonly pollInterval: number;
  readonly shutdownTimeout: number;
  readonly claimStrategy: (typeof CLAIM_STRATEGIES)[number];
  readonly maintenance: ResolvedMaintenance | undefined;
  /** Checked where it is used: by the pruner. */
  readonly retention: RetentionOptions | false | undefined;
  readonly logger: QueueLogger;
}

/** The names of the worker's options. */
export const WORKER_OPTIONS: readonly string[] = [
  'queues',
  'concurrency',
  'totalConcurrency',
  'lease',
  'liveness',
  'deadWorkerGracePeriod',
  'pollInterval',
  'shutdownTimeout',
  'claimStrategy',
  'maintenance',
  'retention',
  'logger',
];

const MOST_CONCURRENCY = 10_000;
const MOST_WEIGHT = 1_000;
const LIVENESS: readonly Liveness[] = ['connection', 'lease'];
const LEAST_GRACE = 200;
const LONGEST_GRACE = 3_600_000;

/** @throws InvalidOptionError, UnknownOptionError, InvalidNameError */
export function resolveWorkerOptions(options: WorkerOptions): ResolvedWorkerOptions {
  assertKnownOptions(options, WORKER_OPTIONS);
  const {
    queues = {},
    concurrency = 10,
    totalConcurrency,
    liveness = 'connection',
    claimStrategy = 'auto',
    maintenance = {},
    logger = consoleLogger,
  } = options;
  wholeNumber('concurrency', concurrency, 1, MOST_CONCURRENCY);
  assertKnownOptions(queues, Object.keys(queues), 'queues.');
  const byQueue = new Map<string, Required<QueueSettings>>();
  for (const [queue, settings] of Object.entries(queues)) {
    assertQueueName(queue);
    assertKnownOptions(settings, ['concurrency', 'weight'], `queues.${queue}.`);
    const { concurrency: own = concurrency, weight = 1 } = settings;
    byQueue.set(queue, {
      concurrency: wholeNumber(`queues.${queue}.concurrency`, own, 1, MOST_CONCURRENCY),
      weight: wholeNumber(`queues.${queue}.weight`, weight, 1, MOST_WEIGHT),
    });
  }
  if (!CLAIM_STRATEGIES.includes(claimStrategy)) {
    throw new InvalidOptionError('claimStrategy', claimStrategy, `one of ${CLAIM_STRATEGIES.join(', ')}`);
  }
  if (!LIVENESS.includes(liveness)) {
    throw new InvalidOptionError('liveness', liveness, `one of '${LIVENESS.join("', '")}'`);
  }
  return {
    settingsOf: (queue) => byQueue.get(queue) ?? { concurrency, weight: 1 },
    totalConcurrency:
      totalConcurrency === undefined
        ? Infinity
        : wholeNumber('totalConcurrency', totalConcurrency, 1, MOST_CONCURRENCY),
    lease: toMilliseconds('lease', options.lease ?? '30s', 1000, LONGEST_TIMER),
    liveness,
    deadWorkerGracePeriod: toMilliseconds(
      'deadWorkerGracePeriod',
      options.deadWorkerGracePeriod ?? '1s',
      LEAST_GRACE,
      LONGEST_GRACE,
    ),
    pollInterval: toMilliseconds('pollInterval', options.pollInterval ?? '250ms', 10, LONGEST_TIMER),
    shutdownTimeout: toMilliseconds('shutdownTimeout', options.shutdownTimeout ?? '20s', 0, LONGEST_TIMER),
    claimStrategy,
    maintenance: maintenance === false ? undefined : resolveMaintenance(maintenance),
    retention: options.retention,
    logger: carefulLogger(logger),
  };
}
