import { firstTick } from '../../definition/timing.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { readClock } from '../base/read-clock.js';
import { changeSchedule } from './change-schedule.js';
import { lockSchedule } from './lock-schedule.js';
import { timingOf } from './schedule-row.js';

/**
 * Resumes a paused schedule with its next tick after now; ticks during the pause are lost.
 *
 * Index and lock: the primary key. A second run changes nothing.
 *
 * @returns whether the schedule exists.
 */
export function* resumeSchedule(dialect: Dialect, name: string): Operation<boolean> {
  const schedule = yield* lockSchedule(dialect, name);
  if (schedule && schedule.pausedAt !== null) {
    const nextFireAt = firstTick(timingOf(schedule), yield* readClock(dialect));
    yield* changeSchedule(dialect, schedule, { pausedAt: null, nextFireAt });
  }
  return schedule !== undefined;
}
