import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** What a schedule does about missed ticks. */
export const CATCH_UP_POLICIES = ['none', 'latest', 'all'] as const;

/** What happens to missed ticks: `none` skips them, `latest` fires the latest one, `all` fires each. */
export type CatchUpPolicy = (typeof CATCH_UP_POLICIES)[number];

/** The sources of schedules: a decorator, or a call of `recurring.set`. */
const SCHEDULE_SOURCES = ['code', 'api'] as const;

/** `code` for `@Recurring`, `api` for `recurring.set`. */
export type ScheduleSource = (typeof SCHEDULE_SOURCES)[number];

/** One row of `tq_schedule`: a recurring job. Change it only through `TableQueue.recurring`. */
export class TableQueueSchedule {
  readonly name!: string;
  readonly jobName!: string;
  readonly queue!: string;
  /** JSON text; null for jobs without a payload. */
  readonly payload!: string | null;
  /** The version of the definition that set it. */
  readonly payloadVersion!: number;
  readonly priority!: number;
  /** After how long its jobs expire if they have not started, in ms; null for never. */
  readonly expiresIn!: number | null;
  /** The key of its jobs. */
  readonly key!: string | null;
  /** The tenant of its jobs. */
  readonly tenant!: string | null;
  /** The cron expression; null if `every` is set. */
  readonly cron!: string | null;
  readonly timeZone!: string;
  /** The interval in ms; null if `cron` is set. */
  readonly every!: number | null;
  readonly catchUp!: CatchUpPolicy;
  /** 1 if a tick fires while the last job is unfinished; otherwise 0. */
  readonly overlap!: number;
  readonly definedBy!: ScheduleSource;
  readonly pausedAt!: number | null;
  /** The next tick; null while it is paused. */
  readonly nextFireAt!: number | null;
  /** The last tick that enqueued a job. */
  readonly lastFireAt!: number | null;
  readonly lastJobId!: string | null;
  /** How often ticks were skipped: missed ones, and those that would have overlapped. */
  readonly skipped!: number;
  readonly lastSkippedAt!: number | null;
  /** Increases with every change of the row; each change compares it. */
  readonly revision!: number;
}

export const scheduleTable = defineTable(TableQueueSchedule, 'schedule', (types) => ({
  columns: {
    name: { ...types.name(NAME_LENGTH.schedule), name: 'name', primary: true },
    jobName: { ...types.name(NAME_LENGTH.job), name: 'job_name' },
    queue: { ...types.name(NAME_LENGTH.queue), name: 'queue' },
    payload: { ...types.longText, name: 'payload', nullable: true },
    payloadVersion: { ...types.version, name: 'payload_version', default: 1 },
    priority: { ...types.rank, name: 'priority' },
    expiresIn: { ...types.time, name: 'expires_in', nullable: true },
    key: { ...types.text(NAME_LENGTH.key), name: 'job_key', nullable: true },
    tenant: { ...types.text(NAME_LENGTH.tenant), name: 'tenant', nullable: true },
    cron: { ...types.name(NAME_LENGTH.cron), name: 'cron', nullable: true },
    timeZone: { ...types.name(NAME_LENGTH.timeZone), name: 'time_zone' },
    every: { ...types.time, name: 'every_ms', nullable: true },
    catchUp: { ...types.oneOf(CATCH_UP_POLICIES), name: 'catch_up' },
    overlap: { ...types.rank, name: 'overlap' },
    definedBy: { ...types.oneOf(SCHEDULE_SOURCES), name: 'defined_by' },
    pausedAt: { ...types.time, name: 'paused_at', nullable: true },
    nextFireAt: { ...types.time, name: 'next_fire_at', nullable: true },
    lastFireAt: { ...types.time, name: 'last_fire_at', nullable: true },
    lastJobId: { ...types.id, name: 'last_job_id', nullable: true },
    skipped: { ...types.time, name: 'skipped', default: 0 },
    lastSkippedAt: { ...types.time, name: 'last_skipped_at', nullable: true },
    revision: { ...types.time, name: 'revision', default: 0 },
  },
  indices: { due: ['nextFireAt', 'name'] },
}));
