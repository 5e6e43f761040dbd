import type { Count, LiveState } from './counts.js';

/** `GET api/overview`, and each `overview` event of `GET api/live`. */
export interface Overview {
  readonly takenAt: number;
  readonly queues: readonly QueueRow[];
  /** How many processes hold a lease. */
  readonly workers: number;
  /** The worst first. */
  readonly attention: readonly Attention[];
  /** Failed for good within the 24 hours before `takenAt`, and not retried since. */
  readonly failedLastDay: Count;
  readonly totals: Readonly<Record<LiveState, Count>>;
}

/** One queue. `POST api/queues/:queue/pause | resume` and `PUT api/queues/:queue/limits` answer it too. */
export interface QueueRow {
  readonly queue: string;
  readonly counts: Readonly<Record<LiveState, Count>>;
  /** For how long the oldest that is ready has been due. */
  readonly oldestReady: number | null;
  /** Finished per second, over the last minute. */
  readonly throughput: number;
  /** Failed attempts of all ended attempts of the last hour, 0 to 1; null without any. */
  readonly failureRate: number | null;
  /** From due to start, the mean of the last hour; null without any. */
  readonly latency: number | null;
  readonly pausedAt: number | null;
  /** How many processes work on it. */
  readonly workers: number;
  /** The weights it has there, the least first. */
  readonly weights: readonly number[];
  readonly limits: QueueLimits;
  /** Finished in each of the last 60 minutes, the oldest first. */
  readonly spark: readonly number[];
}

/** Limits over all processes; null: none. Body of `PUT api/queues/:queue/limits`. */
export interface QueueLimits {
  readonly concurrency: number | null;
  readonly rate: { readonly jobs: number; readonly per: number } | null;
  readonly perTenant: number | null;
}

/** What somebody has to look at. */
export interface Attention {
  readonly severity: 'critical' | 'warning' | 'notice';
  readonly kind: 'no-workers' | 'failing' | 'late' | 'paused' | 'schedule-missed' | 'workers-silent';
  readonly queue: string | null;
  readonly text: string;
  readonly since: number | null;
}
