import { firstTick } from '../../definition/timing.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { DatabaseBusyError } from '../../errors/index.js';
import { readClock } from '../base/read-clock.js';
import { changeSchedule } from './change-schedule.js';
import { findSchedules } from './find-schedules.js';
import { insertSchedule } from './insert-schedule.js';
import { type ScheduleDefinition, timingOf } from './schedule-row.js';

/** How often the row is read again: in a session without autocommit, a snapshot never shows a change. */
const MAX_TRIES = 20;

/**
 * Creates a schedule, or changes it to a definition. An unchanged timing keeps its next tick, so every process can set
 * its schedules at its start; nothing is written if nothing changes.
 *
 * Index: the primary key. Locks: one row for one statement. Do not run it in a transaction: it reads a row again that
 * another process has changed, and a snapshot would hide that change. If the process dies, the schedule is as it was or
 * as defined. A second run changes nothing.
 */
export function* setSchedule(dialect: Dialect, wanted: ScheduleDefinition): Operation<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const [present] = yield* findSchedules(dialect, [wanted.name]);
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
    'other processes keep changing it, or the session has autocommit off and reads an old snapshot.',
  );
}

function isSame(
  a: ScheduleDefinition,
  b: ScheduleDefinition,
  properties: readonly (keyof ScheduleDefinition)[],
): boolean {
  return properties.every((property) => a[property] === b[property]);
}
