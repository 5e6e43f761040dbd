import { setImmediate } from 'node:timers/promises';

import { type Engine, executeRead } from '../engine/engine.js';
import { isDatabaseUnavailable } from '../errors/index.js';
import { type QueueLogger, consoleLogger, logError } from '../logger.js';
import { MAX_CAUGHT_UP, firingOf } from '../recurring/due-jobs.js';
import type { RecurringJobs } from '../recurring/recurring-jobs.js';
import { type DueCursor, findDueSchedules } from '../store/schedules/find-due-schedules.js';
import { type NextTick, findNextTick } from '../store/schedules/find-next-tick.js';
import { type Firing, type FiringResult, fireSchedules } from '../store/schedules/fire-schedules.js';
import { SCHEDULES_PER_READ, type StoredSchedule } from '../store/schedules/schedule-row.js';
import { MaintenanceService } from './maintenance-service.js';
import { recomputeTicks } from './recompute-ticks.js';

/** What one run of the scheduler did. */
export interface SchedulerResult {
  /** How many jobs were enqueued. */
  readonly fired: number;
  /** How many schedules skipped ticks: missed ones, or because the last job was unfinished. */
  readonly skipped: number;
}

const NOTHING: SchedulerResult = { fired: 0, skipped: 0 };

/** How far the database's clock may go back against the monotonic clock before schedules are checked, in ms. */
const CLOCK_TOLERANCE = 1_000;

/** How long to wait after an error, in ms. */
const RETRY_DELAY = 5_000;

/** How many jobs one transaction stores at most, unless a single schedule has more. */
const JOBS_PER_BATCH = 1_000;

/**
 * Fires the ticks of schedules when they are due. All processes try at the same moment, and the first one updates the
 * schedule; so no single process has to be alive. See docs/decisions/0063.
 */
export class Scheduler extends MaintenanceService<SchedulerResult> {
  readonly task = 'scheduler';
  /** When the next tick is due, by the monotonic clock. */
  private nextTickAt = 0;
  /** The last reading of the database's clock, and when it was read, by the monotonic clock. */
  private clock = { now: -Infinity, readAt: 0 };
  /** The schedules whose next tick must be calculated again. */
  private toRecompute: 'none' | 'ahead' | 'all' = 'ahead';
  /** When they were last calculated again, by the monotonic clock. */
  private recomputedAt = -Infinity;

  constructor(
    engine: Engine,
    private readonly recurring: RecurringJobs,
    private readonly logger: QueueLogger = consoleLogger,
    onReady?: (queue: string) => void,
  ) {
    super(engine, onReady);
  }

  override get nextRunIn(): number {
    return Math.max(0, this.nextTickAt - performance.now());
  }

  override listen(listener: () => void): () => void {
    return this.recurring.listen(listener);
  }

  /** Runs in every process, without a leader: a leader could die just before a tick. */
  override async runIfDue(interval: number): Promise<SchedulerResult> {
    this.nextTickAt = performance.now() + RETRY_DELAY;
    if (this.toRecompute === 'none' && performance.now() - this.recomputedAt >= interval) {
      // The process that saw the clock go back may have died.
      this.toRecompute = 'ahead';
    }
    return this.runOnce();
  }

  override async runOnce(): Promise<SchedulerResult> {
    let result = NOTHING;
    let next = await this.readNextTick();
    if (this.toRecompute !== 'none') {
      await this.recompute(this.toRecompute === 'all');
      this.toRecompute = 'none';
      this.recomputedAt = performance.now();
      next = await this.readNextTick();
    }
    const { now } = next;
    if (next.earliest <= now) {
      result = await this.fireAllDue(now);
      next = await this.readNextTick();
    }
    // A tick that was due and still is could not be fired. If the clock went back meanwhile, ticks fired ahead of it.
    const runsSoon = next.earliest <= now || this.toRecompute !== 'none';
    this.nextTickAt = performance.now() + (runsSoon ? RETRY_DELAY : next.earliest - next.now);
    return result;
  }

  private async readNextTick(): Promise<NextTick> {
    const sentAt = performance.now();
    const next = await executeRead(this.engine, 'read the next tick', findNextTick);
    if (next.now - this.clock.now < sentAt - this.clock.readAt - CLOCK_TOLERANCE) {
      this.toRecompute = 'all';
    }
    this.clock = { now: next.now, readAt: performance.now() };
    return next;
  }

  private async recompute(all: boolean): Promise<void> {
    const recomputed = await recomputeTicks(this.engine, all, (schedule, error) => this.logFailure(schedule, error));
    if (recomputed > 0) {
      this.logger.warn(`The database's clock went back. The next ticks of ${recomputed} schedules were recalculated.`);
    }
  }

  private async fireAllDue(now: number): Promise<SchedulerResult> {
    let result = NOTHING;
    let last: DueCursor | undefined;
    for (let more = true; more;) {
      const after: DueCursor | undefined = last;
      const due: StoredSchedule[] = await executeRead(this.engine, 'read due schedules', (dialect) =>
        findDueSchedules(dialect, now, after),
      );
      for (const batch of batchesOf(due.flatMap((schedule) => this.firingsOf(schedule, now)))) {
        result = sum(result, await this.fire(batch));
        // On SQLite nothing above yields to the event loop.
        await setImmediate();
      }
      last = due.at(-1);
      more = due.length === SCHEDULES_PER_READ;
    }
    return result;
  }

  /** Empty for a schedule that this process cannot fire, for example with a time zone that it does not support. */
  private firingsOf(schedule: StoredSchedule, now: number): Firing[] {
    try {
      return [firingOf(schedule, schedule.nextFireAt as number, now)];
    } catch (error) {
      this.logFailure(schedule, error);
      return [];
    }
  }

  private async fire(firings: readonly Firing[]): Promise<SchedulerResult> {
    let results: FiringResult[];
    try {
      const options = { purpose: 'fire schedules', atomic: true };
      results = await this.engine.execute((dialect) => fireSchedules(dialect, firings), options);
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        throw error;
      }
      return this.fireOneByOne(firings, error);
    }
    let fired = 0;
    let skipped = 0;
    for (const [index, firing] of firings.entries()) {
      const result = results[index] as FiringResult;
      fired += result === 'fired' ? firing.jobs.length : 0;
      skipped += result === 'overlaps' || (result === 'fired' && firing.skippedUpTo !== undefined) ? 1 : 0;
      if (result === 'fired') {
        this.reportFired(firing);
      }
    }
    return { fired, skipped };
  }

  /** One schedule that cannot be fired must not prevent the others. */
  private async fireOneByOne(firings: readonly Firing[], error: unknown): Promise<SchedulerResult> {
    const [first] = firings;
    if (first && firings.length === 1) {
      this.logFailure(first.schedule, error);
      return NOTHING;
    }
    let result = NOTHING;
    for (const firing of firings) {
      result = sum(result, await this.fire([firing]));
    }
    return result;
  }

  private reportFired({ schedule: { name, queue }, jobs, skippedUpTo }: Firing): void {
    if (jobs.length === 0) {
      return;
    }
    this.onReady(queue);
    if (skippedUpTo !== undefined) {
      this.logger.warn(
        `The schedule "${name}" missed more than ${MAX_CAUGHT_UP} ticks. The latest ${MAX_CAUGHT_UP} are fired now. ` +
          `Ticks up to ${new Date(skippedUpTo).toISOString()} are skipped.`,
      );
    }
  }

  private logFailure({ name }: StoredSchedule, error: unknown): void {
    logError(this.logger, `The schedule "${name}" could not be fired and is tried again`, error);
  }
}

function sum(a: SchedulerResult, b: SchedulerResult): SchedulerResult {
  return { fired: a.fired + b.fired, skipped: a.skipped + b.skipped };
}

/** One transaction each: a commit for every schedule would take a second or more for a thousand schedules. */
function* batchesOf(firings: readonly Firing[]): Generator<Firing[]> {
  let batch: Firing[] = [];
  let jobs = 0;
  for (const firing of firings) {
    if (jobs + firing.jobs.length > JOBS_PER_BATCH && batch.length > 0) {
      yield batch;
      batch = [];
      jobs = 0;
    }
    batch.push(firing);
    jobs += firing.jobs.length;
  }
  if (batch.length > 0) {
    yield batch;
  }
}
