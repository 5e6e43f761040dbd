import type { Row } from '../../engine/operation.js';
import { type Parameter, type Fragment, sql } from '../../engine/sql.js';
import type { Timing } from '../../definition/timing.js';
import type { CatchUpPolicy, ScheduleSource } from '../../tables/schedule.js';

/** How many schedules one statement reads at most: their payloads may be large. */
export const SCHEDULES_PER_READ = 50;

/** The definition of a schedule: its row without its progress. */
export interface ScheduleDefinition {
  readonly name: string;
  readonly jobName: string;
  readonly queue: string;
  /** JSON text. */
  readonly payload: string | null;
  readonly payloadVersion: number;
  readonly priority: number;
  /** In ms. */
  readonly expiresIn: number | null;
  readonly key: string | null;
  readonly tenant: string | null;
  readonly cron: string | null;
  readonly timeZone: string;
  /** In ms. */
  readonly every: number | null;
  readonly catchUp: CatchUpPolicy;
  readonly overlap: boolean;
  readonly definedBy: ScheduleSource;
}

/** The progress of a schedule. Times in ms. */
export interface ScheduleProgress {
  readonly pausedAt: number | null;
  readonly nextFireAt: number | null;
  readonly lastFireAt: number | null;
  readonly lastJobId: Buffer | null;
  readonly skipped: number;
  readonly lastSkippedAt: number | null;
}

/** A row of `tq_schedule`. */
export interface StoredSchedule extends ScheduleDefinition, ScheduleProgress {
  /** Increases with each change. */
  readonly revision: number;
}

type Properties = ScheduleDefinition & ScheduleProgress;

const COLUMNS: Readonly<Record<keyof Properties, Fragment>> = {
  name: sql`name`,
  jobName: sql`job_name`,
  queue: sql`queue`,
  payload: sql`payload`,
  payloadVersion: sql`payload_version`,
  priority: sql`priority`,
  expiresIn: sql`expires_in`,
  key: sql`job_key`,
  tenant: sql`tenant`,
  cron: sql`cron`,
  timeZone: sql`time_zone`,
  every: sql`every_ms`,
  catchUp: sql`catch_up`,
  overlap: sql`overlap`,
  definedBy: sql`defined_by`,
  pausedAt: sql`paused_at`,
  nextFireAt: sql`next_fire_at`,
  lastFireAt: sql`last_fire_at`,
  lastJobId: sql`last_job_id`,
  skipped: sql`skipped`,
  lastSkippedAt: sql`last_skipped_at`,
};

/** The columns that `toSchedule` reads. */
export const SCHEDULE_COLUMNS = sql.join([...Object.values(COLUMNS), sql`revision`]);

export function columnsOf(properties: Partial<Properties>): { column: Fragment; value: Parameter }[] {
  return Object.entries(properties).map(([property, value]) => ({
    column: COLUMNS[property as keyof Properties],
    value: typeof value === 'boolean' ? Number(value) : value,
  }));
}

/** A schedule from a row with `SCHEDULE_COLUMNS`. */
export function toSchedule(row: Row): StoredSchedule {
  return {
    name: row.name as string,
    jobName: row.job_name as string,
    queue: row.queue as string,
    payload: row.payload as string | null,
    payloadVersion: Number(row.payload_version),
    priority: Number(row.priority),
    expiresIn: numberOrNull(row.expires_in),
    key: row.job_key as string | null,
    tenant: row.tenant as string | null,
    cron: row.cron as string | null,
    timeZone: row.time_zone as string,
    every: numberOrNull(row.every_ms),
    catchUp: row.catch_up as CatchUpPolicy,
    overlap: Number(row.overlap) === 1,
    definedBy: row.defined_by as ScheduleSource,
    pausedAt: numberOrNull(row.paused_at),
    nextFireAt: numberOrNull(row.next_fire_at),
    lastFireAt: numberOrNull(row.last_fire_at),
    lastJobId: row.last_job_id as Buffer | null,
    skipped: Number(row.skipped),
    lastSkippedAt: numberOrNull(row.last_skipped_at),
    revision: Number(row.revision),
  };
}

/** The timing of a stored schedule. */
export function timingOf({ cron, timeZone, every }: ScheduleDefinition): Timing {
  return cron === null ? { cron, every: every as number } : { cron, timeZone };
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
