import { forEachBatch } from '../async/batches.js';
import { firstTick } from '../definition/timing.js';
import type { Engine } from '../engine/engine.js';
import { isDatabaseUnavailable } from '../errors/index.js';
import { changeSchedule } from '../store/schedules/change-schedule.js';
import { findSchedulesAhead } from '../store/schedules/find-schedules-ahead.js';
import { type StoredSchedule, timingOf } from '../store/schedules/schedule-row.js';

/**
 * Calculates the next ticks again that are further away than the schedule allows, because the clock was ahead when they
 * were calculated. Processes that do so at the same time change each schedule once. See docs/decisions/0097.
 *
 * @param all whether to check all schedules, and not only those that have fired in the future or are further away than
 *   their interval.
 * @param onFailure receives the error of a schedule, which does not stop the others.
 * @returns how many were changed.
 */
export async function recomputeTicks(
  engine: Engine,
  all: boolean,
  onFailure: (schedule: StoredSchedule, error: unknown) => void,
): Promise<number> {
  let changed = 0;
  await forEachBatch('', async (after) => {
    const options = { purpose: 'read schedules that are ahead', readOnly: true };
    const page = await engine.execute((dialect) => findSchedulesAhead(dialect, all, after), options);
    for (const schedule of page.schedules) {
      try {
        changed += (await recomputeTick(engine, schedule, page.now)) ? 1 : 0;
      } catch (error) {
        if (isDatabaseUnavailable(error)) {
          throw error;
        }
        onFailure(schedule, error);
      }
    }
    return page.last;
  });
  return changed;
}

async function recomputeTick(engine: Engine, schedule: StoredSchedule, now: number): Promise<boolean> {
  const nextFireAt = firstTick(timingOf(schedule), now);
  if (nextFireAt === null || nextFireAt >= (schedule.nextFireAt as number)) {
    return false;
  }
  const options = { purpose: 'change the next tick of a schedule' };
  return engine.execute((dialect) => changeSchedule(dialect, schedule, { nextFireAt }), options);
}
