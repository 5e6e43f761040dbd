import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { Rate } from './rate.js';

/** The limits of a queue over all processes. Null means no limit. */
export interface StoredLimits {
  readonly concurrency: number | null;
  readonly tenantConcurrency: number | null;
  readonly rate: Rate | null;
  readonly tenantRate: Rate | null;
  readonly maxLength: number | null;
}

/** The columns of a rate. */
export interface RateColumns {
  readonly jobs: unknown;
  readonly window: unknown;
  readonly burst: unknown;
}

/** The settings of a queue: a row of `tq_queue`. */
export interface StoredSettings extends StoredLimits {
  readonly queue: string;
  readonly pausedAt: number | null;
}

/*
 * Each of these locks one row by its primary key. A claim of a limited queue holds that row too, until it commits. All
 * do nothing the second time.
 */

/** Pauses a queue. A queue that is paused already keeps its time. */
export function* pauseQueue(dialect: Dialect, queue: string): Operation<void> {
  yield* ensureRow(dialect, queue);
  yield* change(
    sql`UPDATE ${dialect.tables.queue} SET paused_at = ${dialect.now} WHERE queue = ${queue} AND paused_at IS NULL`,
  );
}

/** Ends the pause of a queue. */
export function* resumeQueue({ tables }: Dialect, queue: string): Operation<void> {
  yield* change(sql`UPDATE ${tables.queue} SET paused_at = NULL WHERE queue = ${queue}`);
}

/** Sets the limits of a queue. Used tokens stay used: a limit that is set again grants no second burst. */
export function* limitQueue(dialect: Dialect, queue: string, limits: StoredLimits): Operation<void> {
  const { concurrency, tenantConcurrency, rate, tenantRate, maxLength } = limits;
  yield* ensureRow(dialect, queue);
  yield* change(
    sql`UPDATE ${dialect.tables.queue}
        SET concurrency = ${concurrency}, tenant_concurrency = ${tenantConcurrency},
            rate_jobs = ${rate?.jobs ?? null}, rate_window = ${rate?.window ?? null},
            rate_burst = ${rate?.burst ?? null}, tenant_rate_jobs = ${tenantRate?.jobs ?? null},
            tenant_rate_window = ${tenantRate?.window ?? null}, tenant_rate_burst = ${tenantRate?.burst ?? null},
            max_length = ${maxLength}
        WHERE queue = ${queue}`,
  );
}

/** The rate that some columns have; null without one. */
export function toRate({ jobs, window, burst }: RateColumns): Rate | null {
  return jobs === null ? null : { jobs: Number(jobs), window: Number(window), burst: Number(burst) };
}

/** The settings of all queues that have some. Reads only. */
export function* findQueueSettings({ tables }: Dialect): Operation<StoredSettings[]> {
  const rows = yield* select<Record<string, unknown>>(
    sql`SELECT queue, paused_at, concurrency, tenant_concurrency, rate_jobs, rate_window, rate_burst,
               tenant_rate_jobs, tenant_rate_window, tenant_rate_burst, max_length
        FROM ${tables.queue} ORDER BY queue`,
  );
  return rows.map((row) => ({
    queue: row.queue as string,
    pausedAt: numberOrNull(row.paused_at),
    concurrency: numberOrNull(row.concurrency),
    tenantConcurrency: numberOrNull(row.tenant_concurrency),
    rate: toRate({ jobs: row.rate_jobs, window: row.rate_window, burst: row.rate_burst }),
    tenantRate: toRate({ jobs: row.tenant_rate_jobs, window: row.tenant_rate_window, burst: row.tenant_rate_burst }),
    maxLength: numberOrNull(row.max_length),
  }));
}

/** The maximum lengths of the queues that have one. Reads only, a table with a row for each queue with settings. */
export function* findMaxLengths({ tables }: Dialect): Operation<Map<string, number>> {
  const rows = yield* select<{ queue: string; max_length: number | string }>(
    sql`SELECT queue, max_length FROM ${tables.queue} WHERE max_length IS NOT NULL`,
  );
  return new Map(rows.map(({ queue, max_length: max }) => [queue, Number(max)]));
}

/** Stores a row without settings, unless there is one. */
export function* ensureRow(dialect: Dialect, queue: string): Operation<void> {
  yield* change(sql`${dialect.insertIgnore} ${dialect.tables.queue} (queue) VALUES (${queue})`);
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}
