import { defined } from '../../defined.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import type { DuplicateJobError } from '../../errors/index.js';
import { cancelJobs } from '../../store/actions/cancel-jobs.js';
import { changePriority } from '../../store/actions/change-priority.js';
import { runJobsNow } from '../../store/actions/run-jobs-now.js';
import type { EndedJob } from '../../store/base/jobs/ended-job.js';
import type { QueuedJob } from '../../store/base/jobs/queued-job.js';
import type { OrderKey } from '../../store/base/ordered/order-key.js';
import type { BrowseCursor } from '../../store/browse/browse-filter.js';
import { skipBlockingJobs } from '../../store/ordered/skip-blocking-jobs.js';
import { retryFinishedJobs } from '../../store/finished/retry-finished-jobs.js';

/** A manual action on jobs. */
export type JobAction = 'run-now' | 'retry' | 'skip' | 'cancel' | 'priority';

/** What an action needs beside its jobs. */
export interface ActionDetails {
  readonly priority?: number;
  readonly from?: string;
}

/** The result of one transaction of an action. */
export interface Done {
  readonly changed: number;
  /** The jobs that may be ready now. */
  readonly ready: readonly QueuedJob[];
  /** The cancelled jobs on which others may depend. */
  readonly ended: readonly EndedJob[];
  /** The keys of retried jobs that are not their heads. */
  readonly orderKeys: readonly OrderKey[];
  readonly conflict?: DuplicateJobError | undefined;
}

/** Does an action to up to `MOST_IDS` jobs, as part of a transaction. */
export type Act = (dialect: Dialect, jobs: readonly BrowseCursor[]) => Operation<Done>;

/** Returns what does an action. */
export function actOf(action: JobAction, { priority, from }: ActionDetails): Act {
  switch (action) {
    case 'run-now':
      return function* (dialect, jobs) {
        return madeReady(yield* runJobsNow(dialect, idsOf(jobs)));
      };
    case 'priority':
      return function* (dialect, jobs) {
        return madeReady(yield* changePriority(dialect, idsOf(jobs), priority as number));
      };
    case 'retry':
      return function* (dialect, jobs) {
        // Jobs that are found by their key come without the time of their end.
        const requests = jobs.map(({ at, id }) => ({
          id,
          ...(at > 0 && { finishedAt: at }),
          ...defined({ fromStep: from }),
        }));
        const { retried, conflicts, orderKeys } = yield* retryFinishedJobs(dialect, requests, true);
        return { ...madeReady(retried), orderKeys, conflict: conflicts[0] };
      };
    case 'skip':
      return function* (dialect, jobs) {
        const orderKeys = yield* skipBlockingJobs(dialect, idsOf(jobs));
        return { changed: orderKeys.length, ready: [], ended: [], orderKeys };
      };
    case 'cancel':
      return function* (dialect, jobs) {
        const { cancelled, requested, ended } = yield* cancelJobs(dialect, idsOf(jobs), null);
        return { changed: cancelled.length + requested.length, ready: [], ended, orderKeys: [] };
      };
  }
}

function madeReady(ready: readonly QueuedJob[]): Done {
  return { changed: ready.length, ready, ended: [], orderKeys: [] };
}

function idsOf(jobs: readonly BrowseCursor[]): Buffer[] {
  return jobs.map(({ id }) => id);
}
