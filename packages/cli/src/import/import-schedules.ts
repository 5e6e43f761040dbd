import type { TableQueue } from '@tablequeue/typeorm';

import type { ImportMode, ImportTarget } from './import-target.js';
import type { BullQueue, JobLocation } from './read-queue.js';
import { mapSchedule, readSchedules } from './read-schedules.js';
import type { Redis } from './redis-client.js';
import type { ImportReport } from './report.js';

interface ScheduleImport {
  readonly redis: Redis;
  readonly queue: TableQueue;
  readonly target: ImportTarget;
  readonly report: ImportReport;
  readonly names: ReadonlyMap<string, string>;
  readonly source: BullQueue;
  readonly locations: readonly JobLocation[];
  readonly mode: ImportMode;
}

const STATE = 'recurring';

/**
 * Imports the recurring jobs of a queue. A schedule that exists here is never changed.
 *
 * @returns the ids of the jobs that Bull has made for the next ticks, with the reason why they stay; undefined for
 *   those that a schedule replaces.
 */
export async function importSchedules(given: ScheduleImport): Promise<ReadonlyMap<string, string | undefined>> {
  const { redis, queue, target, report, names, source, locations, mode } = given;
  const ticks = new Map<string, string | undefined>();
  const schedules = await readSchedules(redis, source, locations);
  const existing = schedules.length === 0 ? [] : await queue.recurring.list();
  for (const schedule of schedules) {
    report.addFound(source.name, STATE);
    const mapped = mapSchedule(schedule, source, names, queue.maxPayloadBytes);
    const nextId = schedule.next?.id;
    const isDelayed = locations.some(({ id, state }) => id === nextId && state === 'delayed');
    if ('refusal' in mapped) {
      report.addRefusal(source.name, STATE, schedule.key, mapped.refusal);
      if (nextId !== undefined) {
        ticks.set(nextId, 'it is the next tick of a recurring job that stays in Redis');
      }
      continue;
    }
    const { name } = mapped.entry.schedule;
    if (nextId !== undefined && isDelayed) {
      ticks.set(nextId, undefined);
    }
    if (existing.some((other) => other.name === name)) {
      if (mode === 'move') {
        const reason = `a schedule "${name}" exists here. Remove the one in Redis, or the one here`;
        report.addRefusal(source.name, STATE, schedule.key, reason);
        ticks.set(nextId ?? '', reason);
      } else {
        report.addKnown(source.name, STATE);
      }
      continue;
    }
    report.addMapped(source.name, STATE, [{ queue: source.name, name: mapped.entry.schedule.jobName }]);
    report.addNotes(source.name, schedule.key, mapped.notes);
    await target.storeSchedule(mapped.entry);
  }
  return ticks;
}
