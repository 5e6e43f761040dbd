import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertQueueName } from '../definition/names.js';
import { type QueueLogger, carefulLogger, consoleLogger } from '../logger.js';
import { type MaintenanceIntervals, type ResolvedMaintenance, resolveMaintenance } from '../maintenance/intervals.js';
import { assertKnownOptions, wholeNumber } from '../options.js';

/** What tells others that a worker lives. */
export type Liveness = 'connection' | 'lease';

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
  readonly deathGrace?: Duration;
  /** How long an idle worker waits at most before it looks again for jobs of other processes. At least 10 ms. Default: 250 ms. */
  readonly pollInterval?: Duration;
  /** How long `stop` waits for running handlers before it hands their jobs back. Default: 20 s. */
  readonly shutdownTimeout?: Duration;
  /**
   * How often this worker looks for due jobs and for dead workers; one process at a time does it, however many run.
   * `false` leaves it to others: somebody has to, or the jobs of dead workers never run. Due jobs of its own queues a
   * worker takes in any case, and workers that have died it finds by `liveness`. Default: every 30 s and 5 s.
   */
  readonly maintenance?: MaintenanceIntervals | false;
  /** Where the worker reports what nobody awaits. Default: warnings and errors to the console. */
  readonly logger?: QueueLogger;
}

/** Worker options, checked and complete. Durations in ms. */
export interface ResolvedWorkerOptions {
  readonly concurrencyOf: (queue: string) => number;
  readonly lease: number;
  readonly liveness: Liveness;
  readonly deathGrace: number;
  readonly pollInterval: number;
  readonly shutdownTimeout: number;
  readonly maintenance: ResolvedMaintenance | undefined;
  readonly logger: QueueLogger;
}

/** The names of the worker's options. */
export const WORKER_OPTIONS: readonly string[] = [
  'queues',
  'concurrency',
  'lease',
  'liveness',
  'deathGrace',
  'pollInterval',
  'shutdownTimeout',
  'maintenance',
  'logger',
];

const MOST_CONCURRENCY = 10_000;
const LIVENESS: readonly Liveness[] = ['connection', 'lease'];
const LEAST_GRACE = 200;
const LONGEST_GRACE = 3_600_000;

/** @throws InvalidOptionError, UnknownOptionError, InvalidNameError */
export function resolveWorkerOptions(options: WorkerOptions): ResolvedWorkerOptions {
  assertKnownOptions(options, WORKER_OPTIONS);
  const { queues = {}, concurrency = 10, liveness = 'connection', maintenance = {}, logger = consoleLogger } = options;
  wholeNumber('concurrency', concurrency, 1, MOST_CONCURRENCY);
  assertKnownOptions(queues, Object.keys(queues), 'queues.');
  const byQueue = new Map<string, number>();
  for (const [queue, settings] of Object.entries(queues)) {
    assertQueueName(queue);
    assertKnownOptions(settings, ['concurrency'], `queues.${queue}.`);
    const { concurrency: own = concurrency } = settings;
    byQueue.set(queue, wholeNumber(`queues.${queue}.concurrency`, own, 1, MOST_CONCURRENCY));
  }
  if (!LIVENESS.includes(liveness)) {
    throw new InvalidOptionError('liveness', liveness, `one of '${LIVENESS.join("', '")}'`);
  }
  return {
    concurrencyOf: (queue) => byQueue.get(queue) ?? concurrency,
    lease: toMilliseconds('lease', options.lease ?? '30s', 1000, LONGEST_TIMER),
    liveness,
    deathGrace: toMilliseconds('deathGrace', options.deathGrace ?? '1s', LEAST_GRACE, LONGEST_GRACE),
    pollInterval: toMilliseconds('pollInterval', options.pollInterval ?? '250ms', 10, LONGEST_TIMER),
    shutdownTimeout: toMilliseconds('shutdownTimeout', options.shutdownTimeout ?? '20s', 0, LONGEST_TIMER),
    maintenance: maintenance === false ? undefined : resolveMaintenance(maintenance),
    logger: carefulLogger(logger),
  };
}
