import type { JobLink } from './jobs.js';

/** `GET api/schedules` answers them all, by name; `POST api/schedules/:name/run | pause | resume` one. */
export interface ScheduleRow {
  readonly name: string;
  /** The name of its jobs. */
  readonly job: string;
  readonly queue: string;
  /** The cron expression, or `every 15m`. */
  readonly pattern: string;
  /** Null for an interval. */
  readonly timeZone: string | null;
  readonly nextAt: number | null;
  /** The next ticks, `nextAt` first. */
  readonly upcoming: readonly number[];
  readonly lastAt: number | null;
  /** Null before the first, and when it has gone from the history. */
  readonly lastJob: JobLink | null;
  readonly pausedAt: number | null;
}
