import type { JobCount } from '../store/base/job-count.js';
import type { QueueCounts } from '../store/reports/count-jobs.js';
import type { OldestReady } from '../store/reports/find-oldest-ready.js';

/** What the tables tell about the queues at a time. */
export interface QueueFigures {
  /** The jobs that are not finished, by queue and state, each up to 10,000. */
  readonly counts: readonly QueueCounts[];
  /** The oldest ready job of each queue that has any. */
  readonly oldestReady: readonly OldestReady[];
  /** How many jobs of the history have failed for good, up to 10,000. */
  readonly failed: JobCount;
  /** How many workers hold their lease, in all processes. */
  readonly workers: number;
}
