import { setImmediate } from 'node:timers/promises';

import type { Engine } from '../engine/engine.js';
import { isDatabaseUnavailable } from '../errors/index.js';
import { type QueueLogger, consoleLogger, logError } from '../logger.js';
import { MAX_CAUGHT_UP, firingOf } from '../recurring/due-jobs.js';
import type { RecurringJobs } from '../recurring/recurring-jobs.js';
import { type Firing, type FiringResult, fireSchedules } from '../store/schedules/fire-schedules.js';
import {
  type DueCursor,
  type NextTick,
  SCHEDULES_PER_READ,
  type StoredSchedule,
  findDueSchedules,
  findNextTick,
} from '../store/schedules/schedules.js';
import { MaintenanceService } from './maintenance-service.js';

/** What one run of the scheduler did. */
export interface SchedulerResult {
  /** How many jobs were enqueued. */
  readonly fired: number;
  /** How many schedules had ticks that were left out: missed, or the last job was still live. */
  readonly skipped: number;
}

const NOTHING: SchedulerResult = { fired: 0, skipped: 0 };

/** After an error it is tried again so much later, in ms. */
const AFTER_ERROR = 5_000;

/** How many jobs a transaction of ticks stores at most, unless one schedule alone has more. */
const JOBS_PER_BATCH = 1_000;

/**
 * Fires the ticks of schedules when they are due. All processes do it at the same moment, and whoever is first moves the
 * schedule on; so none of them has to be alive.
 */
export class Scheduler extends MaintenanceService<SchedulerResult> {
  readonly task = 'scheduler';
  /** By the monotonic clock: when the next tick is due. */
  private wakeAt = 0;

  constructor(
    engine: Engine,
    private readonly recurring: RecurringJobs,
    private readonly logger: QueueLogger = consoleLogger,
    onReady?: (queue: string) => void,
  ) {
    super(engine, onReady);
  }

  override get nextRunIn(): number {
    return Math.max(0, this.wakeAt - performance.now());
  }

  override listen(listener: () => void): () => void {
    return this.recurring.listen(listener);
  }

  /** Without a turn: a process that has it could die a moment before a tick. */
  override async runIfDue(): Promise<SchedulerResult> {
    this.wakeAt = performance.now() + AFTER_ERROR;
    return this.runOnce();
  }

  override async runOnce(): Promise<SchedulerResult> {
    let result = NOTHING;
    let look = await this.look();
    const { now } = look;
    if (look.earliest <= now) {
      result = await this.fireAllDue(now);
      look = await this.look();
    }
    // What was due and still is could not be fired.
    this.wakeAt = performance.now() + (look.earliest <= now ? AFTER_ERROR : look.earliest - look.now);
    return result;
  }

  private look(): Promise<NextTick> {
    return this.engine.execute(findNextTick, { purpose: 'look for due schedules', readOnly: true });
  }

  private async fireAllDue(now: number): Promise<SchedulerResult> {
    let result = NOTHING;
    let last: DueCursor | undefined;
    for (let more = true; more;) {
      const after: DueCursor | undefined = last;
      const due: StoredSchedule[] = await this.engine.execute((dialect) => findDueSchedules(dialect, now, after), {
        purpose: 'read due schedules',
        readOnly: true,
      });
      for (const batch of batchesOf(due.flatMap((schedule) => this.firingsOf(schedule, now)))) {
        result = sum(result, await this.fire(batch));
        // On SQLite this takes no turn of the event loop by itself.
        await setImmediate();
      }
      last = due.at(-1);
      more = due.length === SCHEDULES_PER_READ;
    }
    return result;
  }

  /** None for a schedule whose time zone this process does not know, say. */
  private firingsOf(schedule: StoredSchedule, now: number): Firing[] {
    try {
      return [firingOf(schedule, schedule.nextFireAt as number, now)];
    } catch (error) {
      this.reportFailure(schedule, error);
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
        this.tellOf(firing);
      }
    }
    return { fired, skipped };
  }

  /** One schedule that cannot be fired must not keep the others from it. */
  private async fireOneByOne(firings: readonly Firing[], error: unknown): Promise<SchedulerResult> {
    const [first] = firings;
    if (first && firings.length === 1) {
      this.reportFailure(first.schedule, error);
      return NOTHING;
    }
    let result = NOTHING;
    for (const firing of firings) {
      result = sum(result, await this.fire([firing]));
    }
    return result;
  }

  private tellOf({ schedule: { name, queue }, jobs, skippedUpTo }: Firing): void {
    if (jobs.length === 0) {
      return;
    }
    this.onReady(queue);
    if (skippedUpTo !== undefined) {
      this.logger.warn(
        `More than ${MAX_CAUGHT_UP} ticks of the schedule "${name}" were missed. The latest ${MAX_CAUGHT_UP} are made up for, ` +
          `those up to ${new Date(skippedUpTo).toISOString()} are left out.`,
      );
    }
  }

  private reportFailure({ name }: StoredSchedule, error: unknown): void {
    logError(this.logger, `The schedule "${name}" could not be fired and is tried again`, error);
  }
}

function sum(a: SchedulerResult, b: SchedulerResult): SchedulerResult {
  return { fired: a.fired + b.fired, skipped: a.skipped + b.skipped };
}

/** Fired in one transaction each: a commit for every schedule would take a thousand of them a second or more. */
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
