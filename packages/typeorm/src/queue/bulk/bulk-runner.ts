import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import { uuidFromBytes } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import { recordAction } from '../../store/actions/record-action.js';
import { inKeyOrder } from '../../store/base/locks/fence.js';
import { advanceOperation, lockOperation, touchOperation } from '../../store/bulk/advance-operation.js';
import type { BulkRow } from '../../store/bulk/bulk-row.js';
import { findOperation, findRunning } from '../../store/bulk/find-operations.js';
import { findStillMatching } from '../../store/browse/find-still-matching.js';
import { allPromises } from '../../async/thenable.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';
import { type BulkAction, type Done, actOf } from '../jobs/act-on-jobs.js';
import type { EndedJobs } from '../jobs/ended-jobs.js';
import { BulkJobs, bulkFilterOf, countBulkJobs } from './bulk-jobs.js';
import { bulkRecordOf, storedFilterOf } from './bulk-operation.js';

/** After how long without progress another process goes on with an operation, in ms. */
const ABANDONED_AFTER = 5_000;

/** How often a process looks whether another one still works on an operation, in ms. */
const FOLLOW_EVERY = 250;

/** How many pages a count reads before it shows other processes that it is under way. */
const PAGES_PER_TOUCH = 10;

const NOTHING: Done = { changed: 0, ready: [], ended: [], orderKeys: [] };

/** How a step of an operation ended. `elsewhere`: another process works on it or has stopped it, or this one stops. */
type StepEnd = 'more' | 'done' | 'elsewhere';

/**
 * Works on bulk operations, step by step. A step changes up to 400 jobs and moves the operation on in one transaction.
 * So a crash neither loses nor repeats work, and two processes never do the same step. See docs/decisions/0136.
 */
export class BulkRunner {
  constructor(
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
    private readonly endedJobs: EndedJobs,
  ) {}

  find(id: Buffer): Promise<BulkRow | undefined> {
    return executeRead(this.engine, 'read a bulk operation', (dialect) => findOperation(dialect, id));
  }

  /**
   * Works on an operation until it has ended. Only watches it while another process works on it.
   *
   * @param onProgress called after each step.
   * @returns the row at the end, or when the signal was aborted; undefined if there is none.
   */
  async run(id: Buffer, signal?: AbortSignal, onProgress?: (row: BulkRow) => void): Promise<BulkRow | undefined> {
    const bulkJobs = new BulkJobs(this.engine);
    let isOurs = false;
    for (;;) {
      const row = await this.find(id);
      if (row === undefined || row.state !== 'running' || signal?.aborted) {
        return row;
      }
      onProgress?.(row);
      if (!isOurs && !isAbandoned(row)) {
        await sleep(FOLLOW_EVERY, undefined, signal ? { signal } : {}).catch(() => undefined);
        continue;
      }
      isOurs = (await this.step(row, bulkJobs, signal)) !== 'elsewhere';
      // On SQLite a step does not yield to the event loop.
      await setImmediate();
    }
  }

  /**
   * Works on all operations on which no other process works, in turn, until they have ended. An operation that fails is
   * left to the next run.
   *
   * @returns how many steps were done.
   */
  async runAll(logger: QueueLogger, signal?: AbortSignal): Promise<number> {
    const bulkJobs = new BulkJobs(this.engine);
    const ours = new Set<string>();
    /** Those that have failed or that another process works on. */
    const others = new Set<string>();
    for (let steps = 0; ;) {
      const running = await executeRead(this.engine, 'read bulk operations', findRunning);
      const rows = running.filter((row) => !others.has(nameOf(row)) && (ours.has(nameOf(row)) || isAbandoned(row)));
      if (rows.length === 0 || signal?.aborted) {
        return steps;
      }
      for (const row of rows) {
        const name = nameOf(row);
        try {
          const end = signal?.aborted ? 'elsewhere' : await this.step(row, bulkJobs, signal);
          (end === 'more' ? ours : others).add(name);
          steps++;
        } catch (error) {
          others.add(name);
          logError(logger, `The bulk operation ${name} failed and is tried again`, error);
        }
        await setImmediate();
      }
    }
  }

  /** Counts the jobs first, and then changes the next ones. */
  private async step(row: BulkRow, bulkJobs: BulkJobs, signal: AbortSignal | undefined): Promise<StepEnd> {
    return row.total === null ? this.count(row, signal) : this.change(row, bulkJobs);
  }

  /** Counting millions of jobs takes minutes: the end of a process does not wait for it. */
  private async count(row: BulkRow, signal: AbortSignal | undefined): Promise<StepEnd> {
    const { id } = row;
    let isStopped = false;
    const counted = await countBulkJobs(this.engine, row, async (pages) => {
      if (pages % PAGES_PER_TOUCH === 0) {
        await this.engine.execute((dialect) => touchOperation(dialect, id), { purpose: 'count jobs' });
        isStopped = (await this.find(id))?.state !== 'running';
      }
      return !isStopped && !signal?.aborted;
    });
    if (isStopped || signal?.aborted) {
      return 'elsewhere';
    }
    await this.engine.execute((dialect) => touchOperation(dialect, id, counted), { purpose: 'count jobs' });
    return 'more';
  }

  private async change(row: BulkRow, bulkJobs: BulkJobs): Promise<StepEnd> {
    const { jobs: found, next } = await bulkJobs.next(row);
    const jobs = inKeyOrder(found);
    const { id, priority, targetQueue: queue, startedAt: until } = row;
    const stored = storedFilterOf(row);
    const filter = 'ids' in stored ? undefined : bulkFilterOf(row);
    const details = {
      ...(priority !== null && { priority }),
      ...(queue !== null && { queue }),
      ...('state' in stored && { state: stored.state }),
    };
    const act = actOf(row.action as BulkAction, { ...details, until, skipsLocked: true });
    const done = await this.engine.execute(
      function* (dialect) {
        if (!(yield* lockOperation(dialect, row))) {
          return undefined;
        }
        const left = filter && jobs.length > 0 ? yield* findStillMatching(dialect, filter, jobs) : jobs;
        const done = left.length > 0 ? yield* act(dialect, left) : NOTHING;
        const counts = { changed: done.changed, skipped: jobs.length - done.changed };
        if (next === undefined) {
          counts.skipped += goneBefore(row, jobs.length);
        }
        yield* advanceOperation(dialect, id, counts, next);
        yield* recordAction(dialect, bulkRecordOf(row), counts);
        return done;
      },
      { purpose: `do "${row.action}" to jobs`, atomic: true },
    );
    if (done === undefined) {
      return 'elsewhere';
    }
    await allPromises(noticesForReady(done.ready).map((notice) => this.notifier.notify(notice)));
    await this.endedJobs.onAllEnded(done.ended);
    await this.endedJobs.orderKeys.advance(done.orderKeys);
    return next === undefined ? 'done' : 'more';
  }
}

/** How many jobs were counted, but went on before their step: they count as skipped in the last one. */
function goneBefore({ total, isCapped, changed, skipped }: BulkRow, inStep: number): number {
  return total === null || isCapped ? 0 : Math.max(0, total - changed - skipped - inStep);
}

function isAbandoned({ idle }: BulkRow): boolean {
  // A negative time was stored by a clock that was ahead.
  return idle >= ABANDONED_AFTER || idle < 0;
}

function nameOf({ id }: BulkRow): string {
  return uuidFromBytes(id);
}
