import type { Schedule, TableQueue } from '@tablequeue/typeorm';
import { type LinkedJob, type Timing, findLinks, firstTick, uuidToBytes } from '@tablequeue/typeorm/internal';

import type { ScheduleRow } from '../../contract/index.js';

/** How many of the next ticks are told. */
const UPCOMING = 5;
const UNITS = [
  { unit: 'd', length: 86_400_000 },
  { unit: 'h', length: 3_600_000 },
  { unit: 'm', length: 60_000 },
  { unit: 's', length: 1_000 },
];

/** All schedules, by name. */
export async function scheduleRows(queue: TableQueue): Promise<ScheduleRow[]> {
  const schedules = await queue.recurring.list();
  const jobs = await lastJobs(queue, schedules);
  return schedules.map((schedule) => rowOf(schedule, jobs.get(schedule.lastJobId ?? '')));
}

/** Together: there may be hundreds of schedules, and the page asks again every few seconds. */
async function lastJobs(
  { engine }: TableQueue,
  schedules: readonly Schedule[],
): Promise<ReadonlyMap<string, LinkedJob>> {
  const ids = schedules.flatMap(({ lastJobId }) => (lastJobId === undefined ? [] : uuidToBytes(lastJobId)));
  const links = await engine.execute((dialect) => findLinks(dialect, ids), {
    purpose: 'look for the last jobs of schedules',
    readOnly: true,
  });
  return new Map(links.map((link) => [link.id, link]));
}

function rowOf(schedule: Schedule, lastJob: LinkedJob | undefined): ScheduleRow {
  return {
    name: schedule.name,
    job: schedule.job,
    queue: schedule.queue,
    pattern: schedule.cron ?? `every ${spanOf(schedule.every ?? 0)}`,
    timeZone: schedule.timeZone ?? null,
    nextAt: schedule.nextFireAt?.getTime() ?? null,
    upcoming: upcomingOf(schedule),
    lastAt: schedule.lastFireAt?.getTime() ?? null,
    lastJob: lastJob ?? null,
    pausedAt: schedule.pausedAt?.getTime() ?? null,
  };
}

function upcomingOf({ cron, timeZone, every, nextFireAt }: Schedule): number[] {
  const timing: Timing =
    cron === undefined ? { cron: null, every: every as number } : { cron, timeZone: timeZone as string };
  const ticks: number[] = [];
  let tick = nextFireAt?.getTime() ?? null;
  while (tick !== null && ticks.length < UPCOMING) {
    ticks.push(tick);
    tick = firstTick(timing, tick);
  }
  return ticks;
}

/** Exactly: 90 s are not 2 min. */
function spanOf(every: number): string {
  const { unit, length } = UNITS.find((each) => every % each.length === 0) ?? { unit: 'ms', length: 1 };
  return `${every / length}${unit}`;
}
