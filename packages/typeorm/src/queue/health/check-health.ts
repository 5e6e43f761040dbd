import { endsWithin } from '../../async/ends-within.js';
import { type Duration, LONGEST_TIMER, toMilliseconds } from '../../duration.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions } from '../../options.js';
import type { LaneOfJobs } from '../../store/base/order/find-lanes.js';
import type { AttemptRate } from '../../store/reports/find-attempt-rates.js';
import type { BacklogHealth, HealthLimits, HealthReadings, WorkerHealth } from './facts.js';
import type { FoundProblem, HealthProblem } from './problem.js';
import type { HealthReader } from './health-reader.js';
import { type HealthStatus, verdict } from './verdict.js';

/** Options of `health`: the limits for problems. */
export interface HealthOptions {
  /**
   * How long the oldest ready job of a queue may have been due: 0 ms to 100 years. Pass one limit for all queues, or an
   * object with a limit by queue. Paused queues are not checked. Default: no limit; from 5 min on it is a warning.
   */
  readonly maxBacklogAge?: Duration | Readonly<Record<string, Duration>>;
  /**
   * How long a transaction may be open anywhere on the server: 0 ms to 100 years. An old snapshot stops InnoDB from
   * purging the index entries that jobs have left, so claims get slower. Default: no limit; from 15 min on it is a
   * warning.
   */
  readonly maxTransactionAge?: Duration;
  /** How long to wait for the database: 1 ms to 24 days. Default: 3 s. */
  readonly timeout?: Duration;
}

/** The result of `health`. */
export interface QueueHealth {
  /**
   * Whether this process can work, and no limit that you have set is exceeded: no problem has `failsCheck`. Other
   * problems concern all processes, so they make none of them unhealthy.
   */
  readonly isHealthy: boolean;
  /** `ok`, or the severity of the worst problem. */
  readonly status: HealthStatus;
  /**
   * What is wrong, worst first, one for each kind. Without what the account cannot read: the tables of workers,
   * maintenance, schedules, groups, order keys, subscriptions and throughput.
   */
  readonly problems: readonly HealthProblem[];
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
   * is `unknown` if the transactions are not visible, and if the database is down.
   */
  readonly oldestTransaction: number | 'none' | 'unknown';
}

/** `QueueHealth` with the queues that each problem concerns, and the attempts of each queue. */
export interface DetailedHealth extends QueueHealth {
  readonly problems: readonly FoundProblem[];
  /** In the last hour. Empty if the database is down, or if the account may not read them. */
  readonly rates: readonly AttemptRate[];
}

/**
 * Checks the database and the workers of this process. Errors of the database become problems.
 *
 * @param lanes all of them, if the caller has just read them: this takes tens of ms with 1,000 queues.
 * @throws InvalidOptionError, UnknownOptionError
 */
export async function checkHealth(
  reader: HealthReader,
  started: Iterable<() => WorkerHealth>,
  options: HealthOptions = {},
  lanes?: readonly LaneOfJobs[],
): Promise<DetailedHealth> {
  const { timeout, ...limits } = resolveLimits(options);
  const readings = await readInTime(reader, timeout, lanes);
  const workers = [...started].map((health) => health());
  const { status, problems } = verdict({ readings, started: workers, limits });
  const isDown = readings instanceof Error;
  return {
    isHealthy: problems.every(({ failsCheck }) => !failsCheck),
    status,
    problems,
    database: isDown ? 'down' : 'up',
    worker: stateOf(workers),
    backlog: isDown ? [] : readings.backlog.map(({ queue, age, isPaused }) => ({ queue, age, isPaused })),
    oldestTransaction: isDown ? 'unknown' : readings.oldestTransaction,
    rates: isDown ? [] : (readings.rates ?? []),
  };
}

/** The health without the lists of queues, which can be long. */
export function withoutQueues({ problems, rates: _rates, ...health }: DetailedHealth): QueueHealth {
  return { ...health, problems: problems.map(({ queues: _queues, ...problem }) => problem) };
}

/** @throws InvalidOptionError, UnknownOptionError */
export function resolveLimits(options: HealthOptions): HealthLimits & { readonly timeout: number } {
  assertKnownOptions(options, ['maxBacklogAge', 'maxTransactionAge', 'timeout']);
  const { maxBacklogAge = {}, maxTransactionAge, timeout = '3s' } = options;
  if (typeof maxBacklogAge === 'object' && Object.prototype.toString.call(maxBacklogAge) !== '[object Object]') {
    throw new InvalidOptionError('maxBacklogAge', maxBacklogAge, 'a duration, or one for each queue');
  }
  const ofAll = typeof maxBacklogAge === 'object' ? undefined : toMilliseconds('maxBacklogAge', maxBacklogAge);
  const ofEach = new Map(
    Object.entries(typeof maxBacklogAge === 'object' ? maxBacklogAge : {}).map(([queue, limit]) => [
      queue,
      toMilliseconds(`maxBacklogAge.${queue}`, limit),
    ]),
  );
  return {
    backlogAge: (queue) => ofEach.get(queue) ?? ofAll,
    transactionAge:
      maxTransactionAge === undefined ? undefined : toMilliseconds('maxTransactionAge', maxTransactionAge),
    timeout: toMilliseconds('timeout', timeout, 1, LONGEST_TIMER),
  };
}

/** @returns an error if the database has not answered, or with an error. */
async function readInTime(
  reader: HealthReader,
  timeout: number,
  lanes?: readonly LaneOfJobs[],
): Promise<HealthReadings | Error> {
  const late = new AbortController();
  const reading = reader.read(late.signal, lanes);
  try {
    if (await endsWithin(reading, timeout)) {
      return await reading;
    }
    // Its next statements would wait for connections beside those of the next check.
    late.abort();
    return new Error(`The database has not answered within ${timeout} ms.`);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function stateOf(workers: readonly WorkerHealth[]): QueueHealth['worker'] {
  if (workers.length === 0) {
    return 'none';
  }
  return workers.every(({ holdsLease }) => holdsLease) ? 'lease-held' : 'lease-lost';
}
