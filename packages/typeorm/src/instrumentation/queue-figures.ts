import type { JobCount } from '../store/base/jobs/job-count.js';
import type { HealthProblem } from '../queue/health/problem.js';
import type { QueueCounts } from '../store/reports/count-jobs.js';
import type { OldestReady } from '../store/reports/find-oldest-ready.js';

/** The numbers of all queues at a time. */
export interface QueueFigures {
  /** The live jobs by queue and state, each counted up to 10,000. */
  readonly counts: readonly QueueCounts[];
  /** The oldest ready job of each queue that has one. */
  readonly oldestReady: readonly OldestReady[];
  /** The number of failed jobs, counted up to 10,000. */
  readonly failed: JobCount;
  /** The number of workers with a valid lease, in all processes. */
  readonly workers: number;
  /** The problems that `health()` reports without limits. */
  readonly problems: readonly HealthProblem[];
}
