import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { type Timing, firstTick } from '../../definition/timing.js';
import { DatabaseBusyError } from '../../errors/index.js';
import { readClock } from '../base/read-clock.js';
import { type ScheduleDefinition, changeSchedule, findSchedules, insertSchedule, lockSchedule } from './schedules.js';

/** How often it is read again: where a session has no autocommit a snapshot shows the same for ever. */
const ROUNDS = 20;

/**
 * Creates a schedule, or makes it what it should be. What stays the same keeps its next tick, so every start of every
 * process may set its schedules; nothing is written where nothing changes.
 *
 * Index: the primary key. Locks: one row for one statement. Not to be run in a transaction: a row that somebody else has
 * changed in between is read again, which a snapshot would not show. A crash leaves it as it was or as it should be.
 */
export function* setSchedule(dialect: Dialect, wanted: ScheduleDefinition): Operation<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const [present] = yield* findSchedules(dialect, wanted.name);
    if (!present) {
      if (yield* insertSchedule(dialect, wanted, firstTick(timingOf(wanted), yield* readClock(dialect)))) {
        return;
      }
    } else if (isSame(present, wanted, Object.keys(wanted) as (keyof ScheduleDefinition)[])) {
      return;
    } else {
      const keepsTick = present.pausedAt !== null || isSame(present, wanted, ['cron', 'timeZone', 'every']);
      const nextFireAt = keepsTick ? present.nextFireAt : firstTick(timingOf(wanted), yield* readClock(dialect));
      if (yield* changeSchedule(dialect, present, { ...wanted, nextFireAt })) {
        return;
      }
    }
  }
  throw new DatabaseBusyError(
    `set the schedule "${wanted.name}"`,
    'others change it all the time, or a snapshot hides that.',
  );
}

/**
 * Lets a paused schedule tick again, from now on: what it would have ticked meanwhile is no missed tick.
 *
 * Index and lock: the primary key. Does nothing the second time.
 *
 * @returns whether there is such a schedule.
 */
export function* resumeSchedule(dialect: Dialect, name: string): Operation<boolean> {
  const schedule = yield* lockSchedule(dialect, name);
  if (schedule && schedule.pausedAt !== null) {
    const nextFireAt = firstTick(timingOf(schedule), yield* readClock(dialect));
    yield* changeSchedule(dialect, schedule, { pausedAt: null, nextFireAt });
  }
  return schedule !== undefined;
}

/** When a stored schedule ticks. */
export function timingOf({ cron, timeZone, every }: ScheduleDefinition): Timing {
  return cron === null ? { cron, every: every as number } : { cron, timeZone };
}

function isSame(
  a: ScheduleDefinition,
  b: ScheduleDefinition,
  properties: readonly (keyof ScheduleDefinition)[],
): boolean {
  return properties.every((property) => a[property] === b[property]);
}
