import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** The limits of a queue over all processes. Null means no limit. */
export interface StoredLimits {
  readonly concurrency: number | null;
  readonly tenantConcurrency: number | null;
  readonly rateJobs: number | null;
  /** In ms. */
  readonly rateWindow: number | null;
  readonly maxLength: number | null;
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

/** Sets the limits of a queue. The window of its rate starts again. */
export function* limitQueue(dialect: Dialect, queue: string, limits: StoredLimits): Operation<void> {
  yield* ensureRow(dialect, queue);
  yield* change(
    sql`UPDATE ${dialect.tables.queue}
        SET concurrency = ${limits.concurrency}, tenant_concurrency = ${limits.tenantConcurrency},
            rate_jobs = ${limits.rateJobs}, rate_window = ${limits.rateWindow}, max_length = ${limits.maxLength},
            window_started_at = 0, window_jobs = 0
        WHERE queue = ${queue}`,
  );
}

/** The settings of all queues that have some. Reads only. */
export function* findQueueSettings({ tables }: Dialect): Operation<StoredSettings[]> {
  const rows = yield* select<
    Record<'concurrency' | 'tenant_concurrency' | 'rate_jobs' | 'rate_window' | 'max_length' | 'paused_at', unknown> & {
      queue: string;
    }
  >(
    sql`SELECT queue, paused_at, concurrency, tenant_concurrency, rate_jobs, rate_window, max_length
        FROM ${tables.queue} ORDER BY queue`,
  );
  return rows.map((row) => ({
    queue: row.queue,
    pausedAt: numberOrNull(row.paused_at),
    concurrency: numberOrNull(row.concurrency),
    tenantConcurrency: numberOrNull(row.tenant_concurrency),
    rateJobs: numberOrNull(row.rate_jobs),
    rateWindow: numberOrNull(row.rate_window),
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

function* ensureRow(dialect: Dialect, queue: string): Operation<void> {
  yield* change(sql`${dialect.insertIgnore} ${dialect.tables.queue} (queue) VALUES (${queue})`);
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}
