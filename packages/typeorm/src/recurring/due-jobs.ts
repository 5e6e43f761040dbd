import { newJobId } from '../definition/job-id.js';
import type { Firing } from '../store/schedules/fire-schedules.js';
import type { Due, NewJob } from '../store/enqueue/new-job.js';
import type { StoredSchedule } from '../store/schedules/schedules.js';
import { timingOf } from '../store/schedules/set-schedule.js';
import { ticksUpTo } from '../definition/timing.js';

/** A tick that is fired no later than this was not missed, in ms: a worker may have died, a server been restarted. */
const STILL_ON_TIME = 60_000;

/** How many missed ticks are made up for at most. */
export const MAX_CAUGHT_UP = 1000;

/** What is to be done about the due ticks of a schedule at a time of the database's. */
export function firingOf(schedule: StoredSchedule, tick: number, now: number): Firing {
  const { catchUp } = schedule;
  const due = ticksUpTo(timingOf(schedule), tick, now, catchUp === 'all' ? MAX_CAUGHT_UP : 1);
  const latest = due.ticks.at(-1) as number;
  if (catchUp === 'none' && now - latest > STILL_ON_TIME) {
    return { schedule, jobs: [], tick: null, skippedUpTo: latest, next: due.next };
  }
  return {
    schedule,
    jobs: due.ticks.map((at) => jobOf(schedule, { at }, newJobId())),
    tick: latest,
    // With 'latest' and 'none' one job stands for all of them.
    skippedUpTo: catchUp === 'all' ? due.leftOut : undefined,
    next: due.next,
  };
}

/** A job of a schedule. */
export function jobOf(schedule: StoredSchedule, due: Due, id: Buffer): NewJob {
  const { jobName, queue, key, tenant, payload, payloadVersion, priority } = schedule;
  return { id, name: jobName, queue, key, tenant, payload, payloadVersion, priority, due, unique: null };
}
