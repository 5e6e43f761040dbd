import { defined } from '../../defined.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import type { DuplicateJobError } from '../../errors/index.js';
import { cancelJobs } from '../../store/actions/cancel-jobs.js';
import { changePriority } from '../../store/actions/change-priority.js';
import { moveJobs } from '../../store/actions/move-jobs.js';
import { runJobsNow } from '../../store/actions/run-jobs-now.js';
import type { EndedJob } from '../../store/base/jobs/ended-job.js';
import type { QueuedJob } from '../../store/base/jobs/queued-job.js';
import type { OrderKey } from '../../store/base/ordered/order-key.js';
import type { BrowseCursor } from '../../store/browse/browse-filter.js';
import { skipBlockingJobs } from '../../store/ordered/skip-blocking-jobs.js';
import { deleteFinishedJobs } from '../../store/finished/delete-finished-jobs.js';
import { retryFinishedJobs } from '../../store/finished/retry-finished-jobs.js';
import { OUTCOMES } from '../../tables/job.js';

/** A manual action on jobs. */
export type JobAction = 'run-now' | 'retry' | 'skip' | 'cancel' | 'priority';

/** An action of a bulk operation. */
export type BulkAction = JobAction | 'move' | 'delete';

/** What an action needs beside its jobs. */
export interface ActionDetails {
  readonly priority?: number;
  readonly from?: string;
  /** The queue to move jobs to. */
  readonly queue?: string;
  /** Only jobs that had finished at this time are deleted, in ms. */
  readonly until?: number;
  /** Whether a cancellation skips jobs that another transaction has locked, instead of waiting for them. */
  readonly skipsLocked?: boolean;
  /** Only jobs that are still in this state are cancelled. */
  readonly state?: string;
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
export function actOf(action: BulkAction, details: ActionDetails): Act {
  const { priority, from, queue, until = 0, skipsLocked = false, state = null } = details;
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
        const { cancelled, requested, ended } = yield* cancelJobs(
          dialect,
          idsOf(jobs),
          null,
          skipsLocked ? 'skip' : 'wait',
          state,
        );
        return { changed: cancelled.length + requested.length, ready: [], ended, orderKeys: [] };
      };
    case 'move':
      return function* (dialect, jobs) {
        return madeReady(yield* moveJobs(dialect, idsOf(jobs), queue as string));
      };
    case 'delete':
      return function* (dialect, jobs) {
        const ids = idsOf(jobs);
        // A key whose failed head is gone would stay blocked until the pruner repairs it.
        const orderKeys = yield* skipBlockingJobs(dialect, ids, until);
        let changed = 0;
        for (const outcome of OUTCOMES) {
          changed += yield* deleteFinishedJobs(dialect, outcome, ids, until);
        }
        return { changed, ready: [], ended: [], orderKeys };
      };
  }
}

function madeReady(ready: readonly QueuedJob[]): Done {
  return { changed: ready.length, ready, ended: [], orderKeys: [] };
}

function idsOf(jobs: readonly BrowseCursor[]): Buffer[] {
  return jobs.map(({ id }) => id);
}
