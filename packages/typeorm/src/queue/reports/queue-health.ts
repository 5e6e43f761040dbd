import { type Duration, LONGEST_TIMER, toMilliseconds } from '../../duration.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions } from '../../options.js';
import { findOldestReady } from '../../store/reports/find-oldest-ready.js';
import { findOldestTransaction } from '../../store/reports/find-oldest-transaction.js';
import { findQueueSettings } from '../../store/base/queue-settings.js';

/** Options of `health`: the limits for problems. */
export interface HealthOptions {
  /**
   * How long the oldest ready job of a queue may have been due: 0 ms to 100 years. Pass one limit for all queues, or an
   * object with a limit by queue. Paused queues are not checked. Default: no limit.
   */
  readonly maxBacklogAge?: Duration | Readonly<Record<string, Duration>>;
  /**
   * How long a transaction may be open anywhere on the server: 0 ms to 100 years. An old snapshot stops InnoDB from
   * purging finished jobs, so claims get slower. Default: no limit.
   */
  readonly maxTransactionAge?: Duration;
  /** How long to wait for the database: 1 ms to 24 days. Default: 3 s. */
  readonly timeout?: Duration;
}

/** The oldest ready job of a queue. */
export interface BacklogHealth {
  /** The name of the queue. */
  readonly queue: string;
  /** How long the job has been due, in ms. */
  readonly age: number;
  /** Whether the queue is paused. */
  readonly isPaused: boolean;
}

/** The result of `health`. */
export interface QueueHealth {
  /** Whether there are no problems. */
  readonly isHealthy: boolean;
  /** The problems, one sentence each. */
  readonly problems: readonly string[];
  /** `down` if the database has not answered in time, or with an error. */
  readonly database: 'up' | 'down';
  /**
   * `none` if no worker was started in this process; `lease-lost` if one must not claim, and others take its jobs over.
   */
  readonly worker: 'none' | 'lease-held' | 'lease-lost';
  /** The queues with ready jobs. Empty if the database is down. */
  readonly backlog: readonly BacklogHealth[];
  /**
   * The age of the oldest transaction whose snapshot may stop purge, in ms, or 0 for none. It is `none` on SQLite. It
   * is `unknown` without the PROCESS privilege, and if the database is down.
   */
  readonly oldestTransaction: number | 'none' | 'unknown';
}

/** The health of a worker of this process. */
export interface WorkerHealth {
  readonly holdsLease: boolean;
}

/** The values that are read from the database. */
type Readings = Pick<QueueHealth, 'backlog' | 'oldestTransaction'>;

interface Limits {
  readonly backlogAge: (queue: string) => number;
  readonly transactionAge: number;
  readonly timeout: number;
}

/**
 * Checks the database and the workers of this process. Errors of the database become problems.
 *
 * @throws InvalidOptionError, UnknownOptionError
 */
export async function checkHealth(
  engine: Engine,
  workers: Iterable<WorkerHealth>,
  options: HealthOptions,
): Promise<QueueHealth> {
  const limits = resolveLimits(options);
  const readings = await readInTime(engine, limits.timeout);
  const isDown = readings instanceof Error;
  const { backlog, oldestTransaction }: Readings = isDown ? { backlog: [], oldestTransaction: 'unknown' } : readings;
  const worker = stateOf([...workers]);
  const problems = [
    ...(isDown ? [readings.message] : []),
    ...(worker === 'lease-lost' ? ['The worker of this process has lost its lease.'] : []),
    ...backlog.flatMap(({ queue, age, isPaused }) => {
      const limit = limits.backlogAge(queue);
      return isPaused || age <= limit
        ? []
        : [`The oldest ready job of queue "${queue}" has been due for ${age} ms, more than ${limit} ms.`];
    }),
    ...(typeof oldestTransaction === 'number' && oldestTransaction > limits.transactionAge
      ? [`A transaction has been open for ${oldestTransaction} ms, more than ${limits.transactionAge} ms.`]
      : []),
  ];
  return {
    isHealthy: problems.length === 0,
    problems,
    database: isDown ? 'down' : 'up',
    worker,
    backlog,
    oldestTransaction,
  };
}

function resolveLimits(options: HealthOptions): Limits {
  assertKnownOptions(options, ['maxBacklogAge', 'maxTransactionAge', 'timeout']);
  const { maxBacklogAge = {}, maxTransactionAge, timeout = '3s' } = options;
  if (typeof maxBacklogAge === 'object' && Object.prototype.toString.call(maxBacklogAge) !== '[object Object]') {
    throw new InvalidOptionError('maxBacklogAge', maxBacklogAge, 'a duration, or one for each queue');
  }
  const ofAll = typeof maxBacklogAge === 'object' ? Infinity : toMilliseconds('maxBacklogAge', maxBacklogAge);
  const ofEach = new Map(
    Object.entries(typeof maxBacklogAge === 'object' ? maxBacklogAge : {}).map(([queue, limit]) => [
      queue,
      toMilliseconds(`maxBacklogAge.${queue}`, limit),
    ]),
  );
  return {
    backlogAge: (queue) => ofEach.get(queue) ?? ofAll,
    transactionAge: maxTransactionAge === undefined ? Infinity : toMilliseconds('maxTransactionAge', maxTransactionAge),
    timeout: toMilliseconds('timeout', timeout, 1, LONGEST_TIMER),
  };
}

/** @returns an error if the database has not answered, or with an error. */
async function readInTime(engine: Engine, timeout: number): Promise<Readings | Error> {
  const purpose = 'check the health of the queue';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`The database has not answered within ${timeout} ms.`)), timeout);
  });
  try {
    return await Promise.race([executeRead(engine, purpose, read), late]);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
  }
}

function* read(dialect: Dialect): Operation<Readings> {
  const oldest = yield* findOldestReady(dialect);
  const paused = new Set(
    (yield* findQueueSettings(dialect)).flatMap(({ queue, pausedAt }) => (pausedAt === null ? [] : queue)),
  );
  return {
    backlog: oldest.map(({ queue, age }) => ({ queue, age, isPaused: paused.has(queue) })),
    oldestTransaction: (yield* findOldestTransaction(dialect)) ?? 'unknown',
  };
}

function stateOf(workers: readonly WorkerHealth[]): QueueHealth['worker'] {
  if (workers.length === 0) {
    return 'none';
  }
  return workers.every(({ holdsLease }) => holdsLease) ? 'lease-held' : 'lease-lost';
}
