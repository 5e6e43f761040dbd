import type { TableQueue } from '@tablequeue/typeorm';
import {
  type LinkedJob,
  type StoredSchedule,
  executeRead,
  findLinks,
  findScheduleNames,
  findSchedules,
  firstTick,
  timingOf,
  uuidFromBytes,
} from '@tablequeue/typeorm/internal';

import type { SchedulePage, ScheduleRow } from '../contract/index.js';

/** The number of next ticks that a row has. */
const TICKS = 5;
const UNITS = [
  { unit: 'd', length: 86_400_000 },
  { unit: 'h', length: 3_600_000 },
  { unit: 'm', length: 60_000 },
  { unit: 's', length: 1_000 },
];

/** Which schedules to read. */
export interface ScheduleFilter {
  /** A part of the name, in any case. */
  readonly contains?: string;
  /** The name before the first. */
  readonly cursor?: string;
  readonly limit: number;
}

/** Reads a page of schedules, ordered by name. Only the rows of the page are read, and have their ticks computed. */
export async function schedulePage(
  queue: TableQueue,
  { contains = '', cursor = '', limit }: ScheduleFilter,
): Promise<SchedulePage> {
  const names = await executeRead(queue.engine, 'find schedules', findScheduleNames);
  const matching = names.filter((name) => name.toLowerCase().includes(contains.toLowerCase()));
  const rest = matching.filter((name) => name > cursor);
  const page = rest.slice(0, limit);
  return {
    schedules: await scheduleRows(queue, page),
    total: names.length,
    matching: matching.length,
    next: rest.length > limit ? (page.at(-1) ?? null) : null,
  };
}

/** Reads the schedules with these names, ordered by name, and their last jobs. */
export async function scheduleRows({ engine }: TableQueue, names: readonly string[]): Promise<ScheduleRow[]> {
  const { schedules, links } = await executeRead(engine, 'read schedules', function* (dialect) {
    const found = yield* findSchedules(dialect, names);
    return {
      schedules: found,
      links: yield* findLinks(
        dialect,
        found.flatMap(({ lastJobId }) => lastJobId ?? []),
      ),
    };
  });
  const jobs = new Map(links.map((link) => [link.id, link]));
  return schedules.map((schedule) => {
    return toRow(schedule, schedule.lastJobId === null ? undefined : jobs.get(uuidFromBytes(schedule.lastJobId)));
  });
}

function toRow(schedule: StoredSchedule, lastJob: LinkedJob | undefined): ScheduleRow {
  const { name, jobName, queue, cron, timeZone, every, nextFireAt, lastFireAt, pausedAt } = schedule;
  return {
    name,
    job: jobName,
    queue,
    pattern: cron ?? `every ${formatInterval(every ?? 0)}`,
    timeZone: cron === null ? null : timeZone,
    nextAt: nextFireAt,
    upcoming: nextTicks(schedule),
    lastAt: lastFireAt,
    lastJob: lastJob ?? null,
    pausedAt,
  };
}

function nextTicks(schedule: StoredSchedule): number[] {
  const timing = timingOf(schedule);
  const ticks: number[] = [];
  let tick = schedule.nextFireAt;
  while (tick !== null && ticks.length < TICKS) {
    ticks.push(tick);
    tick = firstTick(timing, tick);
  }
  return ticks;
}

/** Formats an interval exactly: 90 s become `90s`, not `2m`. */
function formatInterval(every: number): string {
  const { unit, length } = UNITS.find((each) => every % each.length === 0) ?? { unit: 'ms', length: 1 };
  return `${every / length}${unit}`;
}
