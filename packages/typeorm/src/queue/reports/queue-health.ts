import { endsWithin } from '../../async/ends-within.js';
import { firstIdAt, uuidFromBytes } from '../../definition/job-id.js';
import { type Duration, LONGEST_TIMER, toMilliseconds } from '../../duration.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { InvalidOptionError, MissingPrivilegeError } from '../../errors/index.js';
import { assertKnownOptions } from '../../options.js';
import { NONE_UNHANDLED, type UnhandledSubscriptions, countUnhandled } from '../../store/events/count-unhandled.js';
import { findIncompleteGroups, findOpenGroups } from '../../store/groups/find-due-groups.js';
import { type BlockedKeys, NONE_BLOCKED, countBlockedKeys } from '../../store/ordered/count-blocked-keys.js';
import { type StaleState, findStaleState } from '../../store/reports/find-stale-state.js';
import { findOldestReady } from '../../store/reports/find-oldest-ready.js';
import { findOldestTransaction } from '../../store/reports/find-oldest-transaction.js';
import { findQueueSettings } from '../../store/base/queue-settings.js';
import {
  type BacklogHealth,
  type HealthProblem,
  type WorkerHealth,
  blockedKeys,
  databaseDown,
  incompleteGroups,
  lateBacklog,
  leaseLost,
  longTransaction,
  staleStateProblems,
  unhandledSubscriptions,
} from './health-problems.js';

/** Options of `health`: the limits for problems. */
export interface HealthOptions {
  /**
   * How long the oldest ready job of a queue may have been due: 0 ms to 100 years. Pass one limit for all queues, or an
   * object with a limit by queue. Paused queues are not checked. Default: no limit.
   */
  readonly maxBacklogAge?: Duration | Readonly<Record<string, Duration>>;
  /**
   * How long a transaction may be open anywhere on the server: 0 ms to 100 years. An old snapshot stops InnoDB from
   * purging the index entries that jobs have left, so claims get slower. Default: no limit.
   */
  readonly maxTransactionAge?: Duration;
  /** How long to wait for the database: 1 ms to 24 days. Default: 3 s. */
  readonly timeout?: Duration;
}

/** The result of `health`. */
export interface QueueHealth {
  /** Whether there are no problems. Warnings do not count. */
  readonly isHealthy: boolean;
  /** What prevents this process from working, or exceeds a limit that you have set. */
  readonly problems: readonly HealthProblem[];
  /**
   * What Tablequeue mends, or what concerns the other processes as much as this one. Empty if the database is
   * down. Without those that the account cannot read: from `tq_worker`, `tq_maintenance` and `tq_schedule`, from
   * `tq_group` and `tq_member`, from `tq_order_key`, or from `tq_subscription`.
   */
  readonly warnings: readonly HealthProblem[];
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

/** The values that are read from the database. */
interface Readings extends Pick<QueueHealth, 'backlog' | 'oldestTransaction'> {
  readonly blocked: BlockedKeys;
  readonly unhandled: UnhandledSubscriptions;
  readonly stale: StaleState | undefined;
  /** The ids of groups that have lost rows of their members. */
  readonly incomplete: readonly string[];
}

/** The readings of a database that is down. */
const NOTHING_READ: Readings = {
  backlog: [],
  oldestTransaction: 'unknown',
  blocked: NONE_BLOCKED,
  unhandled: NONE_UNHANDLED,
  stale: undefined,
  incomplete: [],
};

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
  started: Iterable<() => WorkerHealth>,
  options: HealthOptions,
): Promise<QueueHealth> {
  const limits = resolveLimits(options);
  const readings = await readInTime(engine, limits.timeout);
  const isDown = readings instanceof Error;
  const { backlog, oldestTransaction, blocked, unhandled, stale, incomplete }: Readings = isDown
    ? NOTHING_READ
    : readings;
  const workers = [...started].map((health) => health());
  const worker = stateOf(workers);
  const problems = [
    ...(isDown ? [databaseDown(readings)] : []),
    ...(worker === 'lease-lost' ? [leaseLost()] : []),
    ...backlog.flatMap((each) => lateBacklog(each, limits.backlogAge(each.queue))),
    ...longTransaction(oldestTransaction, limits.transactionAge),
  ];
  return {
    isHealthy: problems.length === 0,
    problems,
    warnings: [
      ...(stale ? staleStateProblems(stale, workers) : []),
      ...incompleteGroups(incomplete),
      ...blockedKeys(blocked),
      ...unhandledSubscriptions(unhandled),
    ],
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
  const stale = executeRead(engine, purpose, findStaleState).catch(unlessForbidden);
  const incomplete = executeRead(engine, purpose, readIncompleteGroups).catch(unlessForbidden);
  const countedKeys = executeRead(engine, purpose, countBlockedKeys).catch(unlessForbidden);
  const subscriptions = executeRead(engine, purpose, countUnhandled).catch(unlessForbidden);
  const all = Promise.all([executeRead(engine, purpose, read), stale, incomplete, countedKeys, subscriptions]);
  try {
    if (!(await endsWithin(all, timeout))) {
      return new Error(`The database has not answered within ${timeout} ms.`);
    }
    const [found, state, groups = [], blocked = NONE_BLOCKED, unhandled = NONE_UNHANDLED] = await all;
    return { ...found, stale: state, incomplete: groups, blocked, unhandled };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** An account that only enqueues cannot read the tables of workers and groups: then there are no such warnings. */
function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof MissingPrivilegeError)) {
    throw error;
  }
}

/** How many unfinished groups are checked. A group that stays unfinished becomes one of the oldest. */
const OLDEST_GROUPS = 100;

function* readIncompleteGroups(dialect: Dialect): Operation<string[]> {
  const { states } = yield* findOpenGroups(dialect, firstIdAt(0), OLDEST_GROUPS);
  const incomplete = yield* findIncompleteGroups(dialect, states);
  return states.flatMap(({ id }) => (incomplete.has(id.toString('hex')) ? uuidFromBytes(id) : []));
}

function* read(dialect: Dialect): Operation<Pick<Readings, 'backlog' | 'oldestTransaction'>> {
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
