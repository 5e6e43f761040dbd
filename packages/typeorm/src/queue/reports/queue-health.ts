import { type Duration, LONGEST_TIMER, toMilliseconds } from '../../duration.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Engine } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions } from '../../options.js';
import { findOldestReady } from '../../store/reports/find-oldest-ready.js';
import { findOldestTransaction } from '../../store/reports/find-oldest-transaction.js';
import { findQueueSettings } from '../../store/base/queue-settings.js';

/** What `health` takes: the limits beyond which something is wrong. */
export interface HealthOptions {
  /**
   * For how long the oldest ready job of a queue may have been due: one limit for all queues, or one for each of those that
   * are to be judged. Paused queues are not. Default: no limit.
   */
  readonly maxBacklogAge?: Duration | Readonly<Record<string, Duration>>;
  /**
   * For how long a transaction whose snapshot may stop purge may have been open, anywhere on the server: until it ends
   * jobs that are done stay in the indexes, and claims get slower. Default: no limit.
   */
  readonly maxTransactionAge?: Duration;
  /** How long to wait for the database's answer. Default: 3 s. */
  readonly timeout?: Duration;
}

/** The oldest ready job of a queue, as `health` tells it. */
export interface BacklogHealth {
  readonly queue: string;
  /** For how long it has been due, in ms. */
  readonly age: number;
  readonly isPaused: boolean;
}

/** How a queue is. */
export interface QueueHealth {
  /** Whether nothing is wrong. */
  readonly isHealthy: boolean;
  /** What is wrong, a sentence each. */
  readonly problems: readonly string[];
  /** `down` where it has not answered in time, or with an error. */
  readonly database: 'up' | 'down';
  /** `none` in a process in which no worker has been started; `lease-lost` while one may not claim, and its jobs are taken over. */
  readonly worker: 'none' | 'lease-held' | 'lease-lost';
  /** The queues in which jobs are ready. Empty where the database is down. */
  readonly backlog: readonly BacklogHealth[];
  /**
   * How old the oldest transaction is whose snapshot may stop purge, in ms: 0 where there is none, `none` on SQLite,
   * `unknown` where the account has no PROCESS privilege, or the database is down.
   */
  readonly oldestTransaction: number | 'none' | 'unknown';
}

/** A worker of this process, as far as its health goes. */
export interface WorkerHealth {
  readonly holdsLease: boolean;
}

/** What the database tells. */
type Readings = Pick<QueueHealth, 'backlog' | 'oldestTransaction'>;

interface Limits {
  readonly backlogAge: (queue: string) => number;
  readonly transactionAge: number;
  readonly timeout: number;
}

/**
 * Asks the database, and the workers of this process. What the database has to say against it is no error here.
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

/** @returns why there are no readings where there are none. */
async function readInTime(engine: Engine, timeout: number): Promise<Readings | Error> {
  const purpose = 'ask for the health of the queue';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`The database has not answered within ${timeout} ms.`)), timeout);
  });
  try {
    return await Promise.race([engine.execute(read, { purpose, readOnly: true }), late]);
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
