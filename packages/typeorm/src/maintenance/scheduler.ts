import { setImmediate } from 'node:timers/promises';

import type { Engine } from '../engine/engine.js';
import { isDatabaseAway } from '../errors/index.js';
import { type QueueLogger, consoleLogger, logError } from '../logger.js';
import { MOST_MISSED, firingOf } from '../recurring/due-jobs.js';
import type { RecurringJobs } from '../recurring/recurring-jobs.js';
import { fireSchedule } from '../store/fire-schedule.js';
import {
  type DuePlace,
  type ScheduleLook,
  SCHEDULES_PER_READ,
  type StoredSchedule,
  findDueSchedules,
  lookForTicks,
} from '../store/schedules.js';
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

  override get soon(): number {
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

  private look(): Promise<ScheduleLook> {
    return this.engine.execute(lookForTicks, { purpose: 'look for due schedules', readOnly: true });
  }

  private async fireAllDue(now: number): Promise<SchedulerResult> {
    let fired = 0;
    let skipped = 0;
    let last: DuePlace | undefined;
    for (let more = true; more;) {
      const after: DuePlace | undefined = last;
      const due: StoredSchedule[] = await this.engine.execute((dialect) => findDueSchedules(dialect, now, after), {
        purpose: 'read due schedules',
        readOnly: true,
      });
      for (const schedule of due) {
        const done = await this.tryToFire(schedule, now);
        fired += done.fired;
        skipped += done.skipped;
        // On SQLite this takes no turn of the event loop by itself.
        await setImmediate();
      }
      last = due.at(-1);
      more = due.length === SCHEDULES_PER_READ;
    }
    return { fired, skipped };
  }

  /** One schedule that cannot be fired must not keep the others from it. */
  private async tryToFire(schedule: StoredSchedule, now: number): Promise<SchedulerResult> {
    try {
      return await this.fire(schedule, now);
    } catch (error) {
      if (isDatabaseAway(error)) {
        throw error;
      }
      logError(this.logger, `The schedule "${schedule.name}" could not be fired and is tried again`, error);
      return NOTHING;
    }
  }

  private async fire(schedule: StoredSchedule, now: number): Promise<SchedulerResult> {
    const { name, queue } = schedule;
    const firing = firingOf(schedule, schedule.nextFireAt as number, now);
    const { jobs, leftOut } = firing;
    const options = { purpose: `fire the schedule "${name}"`, atomic: true };
    const result = await this.engine.execute((dialect) => fireSchedule(dialect, firing), options);
    if (result === 'taken') {
      return NOTHING;
    }
    if (result === 'overlaps') {
      return { fired: 0, skipped: 1 };
    }
    if (jobs.length > 0) {
      this.onReady(queue);
    }
    if (jobs.length > 0 && leftOut !== undefined) {
      this.logger.warn(
        `More than ${MOST_MISSED} ticks of the schedule "${name}" were missed. The latest ${MOST_MISSED} are made up for, ` +
          `those up to ${new Date(leftOut).toISOString()} are left out.`,
      );
    }
    return { fired: jobs.length, skipped: leftOut === undefined ? 0 : 1 };
  }
}
