import type { Codecs } from '../codec/codecs.js';
import { uuidFromBytes } from '../definition/job-id.js';
import { decodeValue } from '../queue/jobs/decode-jobs.js';
import { storedValue } from '../store/base/jobs/stored-value.js';
import type { StoredSchedule } from '../store/schedules/schedule-row.js';
import type { ScheduleSource } from '../tables/schedule.js';

/** A schedule at the time of the read. */
export interface Schedule {
  readonly name: string;
  /** The name of its jobs' definition. */
  readonly job: string;
  readonly queue: string;
  readonly payload: unknown;
  /** The version of the definition that set it. */
  readonly payloadVersion: number;
  /** The cron expression; undefined for an interval. */
  readonly cron: string | undefined;
  /** The IANA time zone of the cron expression; undefined for an interval. */
  readonly timeZone: string | undefined;
  /** The interval between ticks, in ms; undefined with a cron expression. */
  readonly every: number | undefined;
  readonly catchUp: 'none' | 'latest' | 'all';
  readonly overlap: boolean;
  readonly priority: number;
  /** How long its jobs may wait for their start, in ms; undefined if they do not expire. */
  readonly expiresIn: number | undefined;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
  /** `'code'` for a schedule of `@Recurring`, `'api'` for one of `recurring.set`. */
  readonly definedBy: ScheduleSource;
  /** When it was paused; undefined if it is not paused. */
  readonly pausedAt: Date | undefined;
  /** The next tick; undefined while it is paused. */
  readonly nextFireAt: Date | undefined;
  /** The last tick that enqueued a job, or the time of a later `fireNow`. */
  readonly lastFireAt: Date | undefined;
  /** The id of the last job. */
  readonly lastJobId: string | undefined;
  /** How often ticks were skipped, by `catchUp` or by `overlap: false`; consecutive missed ticks count once. */
  readonly skipped: number;
  /** The latest tick that was skipped. */
  readonly lastSkippedAt: Date | undefined;
}

/** A schedule for callers. What this process cannot decode is an `UndecodedValue`. */
export async function toPublic(stored: StoredSchedule, codecs: Codecs): Promise<Schedule> {
  const { jobName, payload, pausedAt, nextFireAt, lastFireAt, lastJobId, lastSkippedAt, revision: _, ...rest } = stored;
  return {
    ...rest,
    job: jobName,
    payload: await decodeValue(codecs, storedValue(payload), 'payload'),
    cron: rest.cron ?? undefined,
    timeZone: rest.cron === null ? undefined : rest.timeZone,
    every: rest.every ?? undefined,
    expiresIn: rest.expiresIn ?? undefined,
    key: rest.key ?? undefined,
    tenant: rest.tenant ?? undefined,
    pausedAt: dateOf(pausedAt),
    nextFireAt: dateOf(nextFireAt),
    lastFireAt: dateOf(lastFireAt),
    lastJobId: lastJobId === null ? undefined : uuidFromBytes(lastJobId),
    lastSkippedAt: dateOf(lastSkippedAt),
  };
}

function dateOf(time: number | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}
