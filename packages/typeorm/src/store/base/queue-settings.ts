import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';

/** The limits of a queue over all processes, as its row has them. Null means no limit. */
export interface StoredLimits {
  readonly concurrency: number | null;
  readonly tenantConcurrency: number | null;
  readonly rateJobs: number | null;
  /** In ms. */
  readonly rateWindow: number | null;
}

/** A row of `tq_queue`, as far as it was set. */
export interface StoredSettings extends StoredLimits {
  readonly queue: string;
  readonly pausedAt: number | null;
}

/*
 * Each of these locks one row by its primary key, for as long as it takes. A claim of a limited queue holds that row
 * too, until it commits. All do nothing the second time.
 */

/** Pauses a queue. One that is paused stays so since then. */
export function* pauseQueue(dialect: Dialect, queue: string): Operation<void> {
  yield* ensureRow(dialect, queue);
  yield* change(`UPDATE ${dialect.tables.queue} SET paused_at = ${dialect.now} WHERE queue = ? AND paused_at IS NULL`, [
    queue,
  ]);
}

/** Ends the pause of a queue. */
export function* resumeQueue({ tables }: Dialect, queue: string): Operation<void> {
  yield* change(`UPDATE ${tables.queue} SET paused_at = NULL WHERE queue = ?`, [queue]);
}

/** Sets the limits of a queue. The window of its rate begins anew. */
export function* limitQueue(dialect: Dialect, queue: string, limits: StoredLimits): Operation<void> {
  yield* ensureRow(dialect, queue);
  yield* change(
    `UPDATE ${dialect.tables.queue}
     SET concurrency = ?, tenant_concurrency = ?, rate_jobs = ?, rate_window = ?, window_started_at = 0, window_jobs = 0 WHERE queue = ?`,
    [limits.concurrency, limits.tenantConcurrency, limits.rateJobs, limits.rateWindow, queue],
  );
}

/** What is set for queues. Reads only. */
export function* findQueueSettings({ tables }: Dialect): Operation<StoredSettings[]> {
  const rows = yield* select<
    Record<'concurrency' | 'tenant_concurrency' | 'rate_jobs' | 'rate_window' | 'paused_at', unknown> & {
      queue: string;
    }
  >(
    `SELECT queue, paused_at, concurrency, tenant_concurrency, rate_jobs, rate_window FROM ${tables.queue} ORDER BY queue`,
  );
  return rows.map((row) => ({
    queue: row.queue,
    pausedAt: numberOrNull(row.paused_at),
    concurrency: numberOrNull(row.concurrency),
    tenantConcurrency: numberOrNull(row.tenant_concurrency),
    rateJobs: numberOrNull(row.rate_jobs),
    rateWindow: numberOrNull(row.rate_window),
  }));
}

function* ensureRow(dialect: Dialect, queue: string): Operation<void> {
  yield* change(`${dialect.insertIgnore} ${dialect.tables.queue} (queue) VALUES (?)`, [queue]);
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}
