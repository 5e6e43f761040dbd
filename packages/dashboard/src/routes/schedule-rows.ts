import type { Schedule, TableQueue } from '@tablequeue/typeorm';
import {
  type LinkedJob,
  type Timing,
  executeRead,
  findLinks,
  firstTick,
  uuidToBytes,
} from '@tablequeue/typeorm/internal';

import type { ScheduleRow } from '../contract/index.js';

/** The number of next ticks that a row has. */
const TICKS = 5;
const UNITS = [
  { unit: 'd', length: 86_400_000 },
  { unit: 'h', length: 3_600_000 },
  { unit: 'm', length: 60_000 },
  { unit: 's', length: 1_000 },
];

/** Reads all schedules, ordered by name. */
export async function scheduleRows(queue: TableQueue): Promise<ScheduleRow[]> {
  const schedules = await queue.recurring.list();
  const jobs = await lastJobs(queue, schedules);
  return schedules.map((schedule) => toRow(schedule, jobs.get(schedule.lastJobId ?? '')));
}

/** Reads them in one query: there may be hundreds of schedules, and each open page reads them every few seconds. */
async function lastJobs(
  { engine }: TableQueue,
  schedules: readonly Schedule[],
): Promise<ReadonlyMap<string, LinkedJob>> {
  const ids = schedules.flatMap(({ lastJobId }) => (lastJobId === undefined ? [] : uuidToBytes(lastJobId)));
  const links = await executeRead(engine, 'read the last jobs of schedules', (dialect) => findLinks(dialect, ids));
  return new Map(links.map((link) => [link.id, link]));
}

function toRow(schedule: Schedule, lastJob: LinkedJob | undefined): ScheduleRow {
  return {
    name: schedule.name,
    job: schedule.job,
    queue: schedule.queue,
    pattern: schedule.cron ?? `every ${formatInterval(schedule.every ?? 0)}`,
    timeZone: schedule.timeZone ?? null,
    nextAt: schedule.nextFireAt?.getTime() ?? null,
    upcoming: nextTicks(schedule),
    lastAt: schedule.lastFireAt?.getTime() ?? null,
    lastJob: lastJob ?? null,
    pausedAt: schedule.pausedAt?.getTime() ?? null,
  };
}

function nextTicks({ cron, timeZone, every, nextFireAt }: Schedule): number[] {
  const timing: Timing =
    cron === undefined ? { cron: null, every: every as number } : { cron, timeZone: timeZone as string };
  const ticks: number[] = [];
  let tick = nextFireAt?.getTime() ?? null;
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
