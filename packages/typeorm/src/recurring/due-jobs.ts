import { newJobId } from '../definition/job-id.js';
import { ticksUpTo } from '../definition/timing.js';
import type { DueTime } from '../definition/due-time.js';
import type { NewJob } from '../store/base/jobs/new-job.js';
import type { Firing } from '../store/schedules/fire-schedules.js';
import { type StoredSchedule, timingOf } from '../store/schedules/schedule-row.js';

/** A tick that fires within this time, in ms, was not missed: a worker may have died, or a server restarted. */
const ON_TIME = 60_000;

/** How many missed ticks fire later, at most. */
export const MAX_CAUGHT_UP = 1000;

/** Decides what to do about the due ticks of a schedule at a time of the database's clock. */
export function firingOf(schedule: StoredSchedule, tick: number, now: number): Firing {
  const { catchUp } = schedule;
  const due = ticksUpTo(timingOf(schedule), tick, now, catchUp === 'all' ? MAX_CAUGHT_UP : 1);
  const latest = due.ticks.at(-1) as number;
  if (catchUp === 'none' && now - latest > ON_TIME) {
    return { schedule, jobs: [], tick: null, skippedUpTo: latest, next: due.next };
  }
  return {
    schedule,
    jobs: due.ticks.map((at) => jobOf(schedule, { at }, newJobId())),
    tick: latest,
    // With 'latest' and 'none' one job replaces all missed ticks, which is no skip.
    skippedUpTo: catchUp === 'all' ? due.omitted : undefined,
    next: due.next,
  };
}

export function jobOf(schedule: StoredSchedule, due: DueTime, id: Buffer): NewJob {
  const { jobName, queue, key, tenant, payload, payloadVersion, priority, expiresIn } = schedule;
  return {
    id,
    name: jobName,
    queue,
    key,
    tenant,
    payload,
    payloadVersion,
    priority,
    due,
    expiresIn: expiresIn ?? undefined,
    unique: null,
    order: null,
  };
}
