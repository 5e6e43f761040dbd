import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { WorkerRequest, WorkerState } from '../../tables/worker.js';

/** What a worker reports about itself with each renewal of its lease. */
export interface WorkerReport {
  readonly state: WorkerState;
  /** The memory of its process, in bytes. */
  readonly rss: number;
  readonly heapUsed: number;
  /** The delay of its event loop since the last report, in ms. */
  readonly delayP99: number;
  readonly delayMax: number;
  /** Whether its event loop was blocked for too long. */
  readonly isBlocked: boolean;
}

/** What is requested of a worker, as its row has it. */
export interface StoredRequest {
  readonly requested: WorkerRequest;
  /** Null if unknown, or if nothing was requested yet. */
  readonly by: string | null;
  /** In ms since 1970; null if nothing was requested yet. */
  readonly at: number | null;
}

/** The assignments of a report. */
export function assignReport({ now }: Dialect, report: WorkerReport): Fragment {
  const { state, rss, heapUsed, delayP99, delayMax, isBlocked } = report;
  // The last block stays until the next one.
  const setBlocked = isBlocked ? sql`, blocked_at = ${now}, blocked_for = ${delayMax}` : sql.empty;
  return sql`state = ${state}, rss = ${rss}, heap_used = ${heapUsed},
             delay_p99 = ${delayP99}, delay_max = ${delayMax}${setBlocked}`;
}
