import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Parameter, type Row, change, select } from '../../engine/operation.js';
import type { CatchUpPolicy, ScheduleSource } from '../../tables/schedule.js';

/** What a schedule was defined as: its row without what happens to it. */
export interface ScheduleDefinition {
  readonly name: string;
  readonly jobName: string;
  readonly queue: string;
  /** JSON text. */
  readonly payload: string | null;
  readonly payloadVersion: number;
  readonly priority: number;
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

/** What happens to a schedule. Times in ms. */
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
  readonly revision: number;
}

type Columns = Readonly<Record<keyof ScheduleDefinition | keyof ScheduleProgress, string>>;

const COLUMNS: Columns = {
  name: 'name',
  jobName: 'job_name',
  queue: 'queue',
  payload: 'payload',
  payloadVersion: 'payload_version',
  priority: 'priority',
  key: 'job_key',
  tenant: 'tenant',
  cron: 'cron',
  timeZone: 'time_zone',
  every: 'every_ms',
  catchUp: 'catch_up',
  overlap: 'overlap',
  definedBy: 'defined_by',
  pausedAt: 'paused_at',
  nextFireAt: 'next_fire_at',
  lastFireAt: 'last_fire_at',
  lastJobId: 'last_job_id',
  skipped: 'skipped',
  lastSkippedAt: 'last_skipped_at',
};

const SELECTED = [...Object.values(COLUMNS), 'revision'].join(', ');

/** How many due schedules are read at a time: their payloads may be large. */
export const SCHEDULES_PER_READ = 50;

/** Reads schedules by name, or all. Index: the primary key. Locks nothing. */
export function* findSchedules({ tables }: Dialect, name?: string): Operation<StoredSchedule[]> {
  const where = name === undefined ? '' : 'WHERE name = ?';
  const rows = yield* select(
    `SELECT ${SELECTED} FROM ${tables.schedule} ${where} ORDER BY name`,
    name === undefined ? [] : [name],
  );
  return rows.map(toSchedule);
}

/** Reads one schedule and locks it until the transaction ends. Index: the primary key. */
export function* lockSchedule(dialect: Dialect, name: string): Operation<StoredSchedule | undefined> {
  const rows = yield* select(`SELECT ${SELECTED} FROM ${dialect.tables.schedule} WHERE name = ? ${dialect.forUpdate}`, [
    name,
  ]);
  return rows.map(toSchedule)[0];
}

/** The present time, and the next tick of all. */
export interface NextTick {
  readonly now: number;
  /** Infinity where no schedule ticks. */
  readonly earliest: number;
}

/** Index: the first entry of `schedule_due` that is no null. Reads only. */
export function* findNextTick({ tables, now }: Dialect): Operation<NextTick> {
  const [row] = yield* select<{ present: unknown; earliest: unknown }>(
    `SELECT ${now} AS present, MIN(next_fire_at) AS earliest FROM ${tables.schedule}`,
  );
  return { now: Number(row?.present), earliest: numberOrNull(row?.earliest) ?? Infinity };
}

/** The place of a schedule among the due ones. */
export type DueCursor = Pick<StoredSchedule, 'name' | 'nextFireAt'>;

/** Reads the next schedules that are due at a time. Index: `schedule_due`. Locks nothing: to fire one compares. */
export function* findDueSchedules(
  { tables }: Dialect,
  time: number,
  after: DueCursor | undefined,
): Operation<StoredSchedule[]> {
  const rows = yield* select(
    `SELECT ${SELECTED} FROM ${tables.schedule}
     WHERE next_fire_at <= ? AND (next_fire_at > ? OR (next_fire_at = ? AND name > ?))
     ORDER BY next_fire_at, name LIMIT ${SCHEDULES_PER_READ}`,
    [time, after?.nextFireAt ?? -1, after?.nextFireAt ?? -1, after?.name ?? ''],
  );
  return rows.map(toSchedule);
}

/** Stores a schedule; false if there is one of that name. Locks: its row. */
export function* insertSchedule(
  dialect: Dialect,
  definition: ScheduleDefinition,
  nextFireAt: number | null,
): Operation<boolean> {
  const values = assignmentsOf({ ...definition, nextFireAt });
  const inserted = yield* change(
    `${dialect.insertIgnore} ${dialect.tables.schedule} (${values.map(([column]) => column).join(', ')})
     VALUES (${values.map(() => '?').join(', ')})`,
    values.map(([, value]) => value),
  );
  return inserted === 1;
}

/**
 * Changes a schedule if nobody has since it was read: the revision is compared, and set to the next one. Of all who have
 * read the same row one changes it, whatever crashes when. Index and lock: the primary key.
 */
export function* changeSchedule(
  { tables }: Dialect,
  { name, revision }: Pick<StoredSchedule, 'name' | 'revision'>,
  changes: Partial<ScheduleDefinition & ScheduleProgress>,
): Operation<boolean> {
  const values = assignmentsOf(changes);
  const changed = yield* change(
    `UPDATE ${tables.schedule} SET ${values.map(([column]) => `${column} = ?, `).join('')}revision = revision + 1
     WHERE name = ? AND revision = ?`,
    [...values.map(([, value]) => value), name, revision],
  );
  return changed === 1;
}

/** Stops a schedule's ticks; one that is paused stays so since then. Index and lock: the primary key. */
export function* pauseSchedule({ tables, now }: Dialect, name: string): Operation<boolean> {
  const found = yield* change(
    `UPDATE ${tables.schedule}
     SET paused_at = COALESCE(paused_at, ${now}), next_fire_at = NULL, revision = revision + 1
     WHERE name = ?`,
    [name],
  );
  return found === 1;
}

/** Deletes a schedule. Index and lock: the primary key. */
export function* deleteSchedule({ tables }: Dialect, name: string): Operation<boolean> {
  return (yield* change(`DELETE FROM ${tables.schedule} WHERE name = ?`, [name])) === 1;
}

function assignmentsOf(values: Partial<ScheduleDefinition & ScheduleProgress>): [string, Parameter][] {
  return Object.entries(values).map(([property, value]) => [
    COLUMNS[property as keyof Columns],
    typeof value === 'boolean' ? Number(value) : value,
  ]);
}

function toSchedule(row: Row): StoredSchedule {
  return {
    name: row.name as string,
    jobName: row.job_name as string,
    queue: row.queue as string,
    payload: row.payload as string | null,
    payloadVersion: Number(row.payload_version),
    priority: Number(row.priority),
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

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
