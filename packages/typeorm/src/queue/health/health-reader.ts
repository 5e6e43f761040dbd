import type { DataSource } from 'typeorm';

import { examineCheaply } from '../../doctor/doctor.js';
import type { Finding } from '../../doctor/finding.js';
import { firstIdAt, uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Engine, type OperationFactory, executeRead } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { MissingPrivilegeError } from '../../errors/index.js';
import { type LaneOfJobs, findLanes } from '../../store/base/order/find-lanes.js';
import { findQueueSettings } from '../../store/base/queue-settings.js';
import { readClock } from '../../store/base/read-clock.js';
import { countUnhandled } from '../../store/events/count-unhandled.js';
import { findIncompleteGroups, findOpenGroups } from '../../store/groups/find-due-groups.js';
import { countBlockedKeys } from '../../store/ordered/count-blocked-keys.js';
import { findAttemptRates } from '../../store/reports/find-attempt-rates.js';
import { findFailed } from '../../store/reports/find-failed.js';
import { findLongRuns } from '../../store/reports/find-long-runs.js';
import { findOldestReady } from '../../store/reports/find-oldest-ready.js';
import { findOldestTransaction } from '../../store/reports/find-oldest-transaction.js';
import { findStaleState } from '../../store/reports/find-stale-state.js';
import { findMissedTicks } from '../../store/schedules/find-missed-ticks.js';
import { findWorkers } from '../../store/workers/find-workers.js';
import type { HealthReadings } from './facts.js';

/** How long the findings of the doctor are used, in ms: settings of a server hardly change. */
const FINDINGS_LAST = 5 * 60_000;

/** How many unfinished groups are checked. A group that stays unfinished becomes one of the oldest. */
const OLDEST_GROUPS = 100;

/** Reads what the verdict depends on, with one connection at a time. Locks nothing. */
export class HealthReader {
  private findings: readonly Finding[] | undefined;
  private examinedAt = -Infinity;

  constructor(
    private readonly dataSource: DataSource,
    private readonly engine: Engine,
    private readonly maxPayloadBytes: number,
  ) {}

  /**
   * @param signal ends it before its next statement.
   * @param known all lanes, if they have just been read.
   * @throws the errors of the database, except for tables that the account cannot read.
   */
  async read(signal: AbortSignal, known?: readonly LaneOfJobs[]): Promise<HealthReadings> {
    const read = <T>(factory: OperationFactory<T>) => {
      signal.throwIfAborted();
      return this.readIfAllowed(factory);
    };
    const lanes = known ?? (await executeRead(this.engine, PURPOSE, findLanes));
    signal.throwIfAborted();
    const { backlog, failed, oldestTransaction } = await executeRead(this.engine, PURPOSE, (dialect) =>
      readQueues(dialect, lanes),
    );
    return {
      backlog,
      failed,
      oldestTransaction,
      workers: await read(findWorkers),
      stale: await read((dialect) => findStaleState(dialect, lanes)),
      longRuns: await read((dialect) => findLongRuns(dialect, lanes)),
      rates: await read(findAttemptRates),
      missed: await read(findMissedTicks),
      blocked: await read(countBlockedKeys),
      unhandled: await read(countUnhandled),
      incomplete: await read(readIncompleteGroups),
      findings: await this.examine(signal),
    };
  }

  /** An account that only enqueues cannot read the tables of workers and groups: then it finds no such problems. */
  private async readIfAllowed<T>(factory: OperationFactory<T>): Promise<T | undefined> {
    try {
      return await executeRead(this.engine, PURPOSE, factory);
    } catch (error) {
      if (error instanceof MissingPrivilegeError) {
        return undefined;
      }
      throw error;
    }
  }

  /** The doctor's findings, at most five minutes old. Only the first call waits for them. */
  private async examine(signal: AbortSignal): Promise<readonly Finding[] | undefined> {
    signal.throwIfAborted();
    if (performance.now() - this.examinedAt > FINDINGS_LAST) {
      this.examinedAt = performance.now();
      const examined = examineCheaply(this.dataSource, this.maxPayloadBytes).then(
        (found) => (this.findings = found),
        // They are read again later: nothing else depends on them.
        () => undefined,
      );
      await (this.findings ? undefined : examined);
    }
    return this.findings;
  }
}

const PURPOSE = 'check the health of the queue';

function* readQueues(
  dialect: Dialect,
  lanes: readonly LaneOfJobs[],
): Operation<Pick<HealthReadings, 'backlog' | 'failed' | 'oldestTransaction'>> {
  const oldest = yield* findOldestReady(dialect, lanes);
  const settings = yield* findQueueSettings(dialect);
  const pausedAt = new Map(settings.flatMap((each) => (each.pausedAt === null ? [] : [[each.queue, each.pausedAt]])));
  const now = yield* readClock(dialect);
  return {
    backlog: oldest.map(({ queue, age }) => {
      const paused = pausedAt.get(queue);
      return { queue, age, isPaused: paused !== undefined, pausedFor: paused && Math.max(0, now - paused) };
    }),
    failed: yield* findFailed(dialect, lanes),
    oldestTransaction: (yield* findOldestTransaction(dialect)) ?? 'unknown',
  };
}

function* readIncompleteGroups(dialect: Dialect): Operation<string[]> {
  const { states } = yield* findOpenGroups(dialect, firstIdAt(0), OLDEST_GROUPS);
  const incomplete = yield* findIncompleteGroups(dialect, states);
  return states.flatMap(({ id }) => (incomplete.has(id.toString('hex')) ? uuidFromBytes(id) : []));
}
