import { type AlertOptions, type ResolvedAlerts, resolveAlerts } from '../alerts/alert-options.js';
import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertQueueName } from '../definition/names.js';
import type { ByQueue } from '../definition/queue-name.js';
import { ALERTS_QUEUE } from '../definition/reserved-queues.js';
import { type QueueLogger, safeLogger, consoleLogger } from '../logger.js';
import { type MaintenanceIntervals, type ResolvedMaintenance, resolveMaintenance } from '../maintenance/intervals.js';
import type { RetentionOptions } from '../maintenance/pruner/retention.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { type QueueLimits, resolveLimits } from '../queue/queue-limits.js';
import type { StoredLimits } from '../store/base/queue-settings.js';
import { CLAIM_STRATEGIES } from '../store/claim/claim-strategies.js';
import { CODE_VERSION_LENGTH } from '../tables/worker.js';

/** How other workers notice that a worker has died. */
export type Liveness = 'connection' | 'lease';

/** Settings of a worker for one queue. */
export interface QueueSettings {
  /** How many jobs of this queue the worker runs at a time: 1 to 10,000. Default: the worker's `concurrency`. */
  readonly concurrency?: number;
  /**
   * The queue's share of `totalConcurrency` while other queues have jobs too: 1 to 1,000. A queue of weight 3 gets
   * three times the slots of a queue of weight 1. Default: 1.
   */
  readonly weight?: number;
  /**
   * The limits of the queue in all processes. The worker stores them when it starts, unless the last worker with this
   * option declared the same: then those of `queue.control.limit` stay. `{}` removes all limits. Without the option
   * the stored ones stay. Default: none are stored.
   */
  readonly limits?: QueueLimits;
}

/** Options of a worker. */
export interface WorkerOptions {
  /** Settings by queue. The worker claims only from queues it has a handler for. Default: none. */
  readonly queues?: ByQueue<QueueSettings>;
  /** How many jobs of each queue the worker runs at a time: 1 to 10,000. Default: 10. */
  readonly concurrency?: number;
  /**
   * How many jobs of all queues together the worker runs at a time: 1 to 10,000. Queues that want more than that share
   * it by weight, so that none starves. Default: no limit except those of the queues.
   */
  readonly totalConcurrency?: number;
  /**
   * The worker counts as dead after this time without a renewal, and others take its jobs over. It renews after every
   * third of it. From 1 s to 24 days. Default: 30 s.
   */
  readonly lease?: Duration;
  /**
   * The version of your code, such as a commit or an image tag: 1 to 64 characters. Lists of workers show it, so that
   * you see which of them still run old code. Default: none.
   */
  readonly codeVersion?: string;
  /**
   * How other workers notice that this worker has died, and whether it watches others.
   *
   * - `'connection'`: by a named lock on a connection of its own. The server frees it when the process dies, and other
   *   workers take its jobs over within about two seconds. Where named locks cannot show that, only the lease counts:
   *   on SQLite, Galera and Group Replication, behind some proxies, and after a restart of the server. The worker
   *   detects these cases.
   * - `'lease'`: by its lease only, without the extra connection.
   *
   * Default: `'connection'`.
   */
  readonly liveness?: Liveness;
  /**
   * How long the named lock of another worker must be free before that worker counts as dead: 200 ms to 1 h. A live
   * worker whose connection broke has this long to take a new lock. If it cannot, its jobs run again and its own
   * outcomes are refused. Default: 1 s.
   */
  readonly deadWorkerGracePeriod?: Duration;
  /** The longest time between two polls for jobs of other processes: 10 ms to 24 days. Default: 250 ms. */
  readonly pollInterval?: Duration;
  /**
   * How long `stop` waits for running handlers before it returns their jobs to the queue: up to 24 days. Default: 20 s.
   */
  readonly shutdownTimeout?: Duration;
  /**
   * How jobs are claimed on MySQL and MariaDB: `'skip-locked'`, `'compare-and-set'` or `'named-lock'`. Default:
   * `'auto'`, which tries at the start whether SKIP LOCKED works and uses `'compare-and-set'` where it does not.
   */
  readonly claimStrategy?: 'auto' | 'skip-locked' | 'compare-and-set' | 'named-lock';
  /**
   * How often the maintenance tasks run: retry due jobs, reap dead workers, prune finished jobs, fire schedules. One
   * process at a time runs each task. `false` leaves them to other processes. At least one must
   * run them, or no schedule fires and jobs of dead workers may never run. A worker promotes due jobs of its own queues
   * in any case. Default: every 30 s, 5 s, 10 min and 30 s.
   */
  readonly maintenance?: MaintenanceIntervals | false;
  /**
   * How long finished jobs are kept. `false` keeps everything. Default: succeeded jobs for 7 days, failed,
   * cancelled and expired jobs for 30 days.
   */
  readonly retention?: RetentionOptions | false;
  /**
   * Sends alerts about the problems of `health()` to webhooks, once over all processes. Give all workers the same.
   * Default: no alerts.
   */
  readonly alerts?: AlertOptions;
  /** Receives warnings and errors that no call returns. Default: the queue's logger. */
  readonly logger?: QueueLogger;
}

/** Worker options, checked and complete. Durations in ms. */
export interface ResolvedWorkerOptions {
  readonly settingsOf: (queue: string) => Required<Pick<QueueSettings, 'concurrency' | 'weight'>>;
  /** By queue. */
  readonly limits: ReadonlyMap<string, StoredLimits>;
  readonly totalConcurrency: number;
  readonly lease: number;
  /** Null without one. */
  readonly codeVersion: string | null;
  readonly liveness: Liveness;
  readonly deadWorkerGracePeriod: number;
  readonly pollInterval: number;
  readonly shutdownTimeout: number;
  readonly claimStrategy: (typeof CLAIM_STRATEGIES)[number];
  readonly maintenance: ResolvedMaintenance | undefined;
  /** Checked where it is used: by the pruner. */
  readonly retention: RetentionOptions | false | undefined;
  readonly alerts: ResolvedAlerts | undefined;
  readonly logger: QueueLogger;
}

/** The names of the worker's options. */
export const WORKER_OPTIONS: readonly string[] = [
  'queues',
  'concurrency',
  'totalConcurrency',
  'lease',
  'codeVersion',
  'liveness',
  'deadWorkerGracePeriod',
  'pollInterval',
  'shutdownTimeout',
  'claimStrategy',
  'maintenance',
  'retention',
  'alerts',
  'logger',
];

const MOST_CONCURRENCY = 10_000;
const MOST_WEIGHT = 1_000;
/** How many messages of alerts a worker sends at a time: a webhook that hangs must not take all slots. */
const ALERTS_CONCURRENCY = 2;
const LIVENESS: readonly Liveness[] = ['connection', 'lease'];
const LEAST_GRACE = 200;
const LONGEST_GRACE = 3_600_000;

/**
 * @param defaultLogger the logger where the options name none.
 * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
 */
export function resolveWorkerOptions(options: WorkerOptions, defaultLogger = consoleLogger): ResolvedWorkerOptions {
  assertKnownOptions(options, WORKER_OPTIONS);
  const {
    queues = {},
    concurrency = 10,
    totalConcurrency,
    liveness = 'connection',
    claimStrategy = 'auto',
    maintenance = {},
    logger = defaultLogger,
  } = options;
  wholeNumber('concurrency', concurrency, 1, MOST_CONCURRENCY);
  assertKnownOptions(queues, Object.keys(queues), 'queues.');
  const byQueue = new Map<string, ReturnType<ResolvedWorkerOptions['settingsOf']>>();
  const limitsOf = new Map<string, StoredLimits>();
  for (const [queue, settings] of Object.entries(queues)) {
    assertQueueName(queue);
    assertKnownOptions(settings, ['concurrency', 'weight', 'limits'], `queues.${queue}.`);
    const { concurrency: own = concurrency, weight = 1, limits } = settings;
    byQueue.set(queue, {
      concurrency: wholeNumber(`queues.${queue}.concurrency`, own, 1, MOST_CONCURRENCY),
      weight: wholeNumber(`queues.${queue}.weight`, weight, 1, MOST_WEIGHT),
    });
    if (limits !== undefined) {
      limitsOf.set(queue, resolveLimits(limits, `queues.${queue}.limits.`));
    }
  }
  if (!CLAIM_STRATEGIES.includes(claimStrategy)) {
    throw new InvalidOptionError('claimStrategy', claimStrategy, `one of ${CLAIM_STRATEGIES.join(', ')}`);
  }
  if (!LIVENESS.includes(liveness)) {
    throw new InvalidOptionError('liveness', liveness, `one of '${LIVENESS.join("', '")}'`);
  }
  return {
    settingsOf: (queue) =>
      byQueue.get(queue) ?? { concurrency: queue === ALERTS_QUEUE ? ALERTS_CONCURRENCY : concurrency, weight: 1 },
    limits: limitsOf,
    totalConcurrency:
      totalConcurrency === undefined
        ? Infinity
        : wholeNumber('totalConcurrency', totalConcurrency, 1, MOST_CONCURRENCY),
    lease: toMilliseconds('lease', options.lease ?? '30s', 1000, LONGEST_TIMER),
    codeVersion: resolveCodeVersion(options.codeVersion),
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
    alerts: options.alerts === undefined ? undefined : resolveAlerts(options.alerts),
    logger: safeLogger(logger),
  };
}

function resolveCodeVersion(version: unknown): string | null {
  if (version === undefined) {
    return null;
  }
  if (typeof version !== 'string' || version === '' || version.length > CODE_VERSION_LENGTH) {
    throw new InvalidOptionError('codeVersion', version, `a text of 1 to ${CODE_VERSION_LENGTH} characters`);
  }
  return version;
}
