import { EventEmitter } from 'node:events';

import { type QueueLogger, logError } from '../../logger.js';
import type { JobInfo } from '../handlers/job-handler.js';
import type { UnhandledReason } from '../running/unhandled-jobs.js';

/**
 * What a worker tells about the jobs it runs, and about those it frees. All but `started` come after the outcome was
 * committed.
 *
 * A worker tells only of itself: a job that ends in another process is told there.
 */
export interface WorkerEvents {
  started: [job: JobInfo];
  succeeded: [job: JobInfo];
  /** No attempt is left. */
  failed: [job: JobInfo, error: Error];
  /** Tried again after `delay` ms. */
  retried: [job: JobInfo, error: Error, delay: number];
  /**
   * Put off for `delay` ms and not charged: its handler has thrown a `SnoozeJobError`, or this process must not run it
   * just now, see `docs/features/failures.md`.
   */
  snoozed: [job: JobInfo, delay: number];
  /**
   * This process cannot run it: it has no handler for it (`'no-handler'`), or a definition whose `version` is lower than
   * that of the payload (`'newer-payload'`). It is left for another process; this one looks again after `delay` ms.
   */
  unhandled: [job: JobInfo, delay: number, reason: UnhandledReason];
  /** Cancelled while it ran. */
  cancelled: [job: JobInfo];
  /** Broken off and handed back. */
  released: [job: JobInfo];
  /** Another worker had taken it over: what this one did about it was not written down. */
  lost: [job: JobInfo];
  /**
   * Its worker has died or lost its lease, and the reaper of this worker has made it ready again. So each such job is told
   * of in one process, whichever found it, and mostly not in the one that ran it. `attempt` is the one that was broken off.
   */
  stalled: [job: JobInfo];
  /**
   * This worker has run jobs of the queue, runs none of them any more, and has looked and seen none that is ready. Told
   * each time it becomes so. Other workers may still run some, and some may be scheduled or waiting.
   */
  drained: [queue: string];
}

/** Emits events such that an error in a listener never touches a job. */
export class WorkerEventEmitter extends EventEmitter<WorkerEvents> {
  constructor(private readonly logger: QueueLogger) {
    super();
  }

  /** Tells the listeners. */
  tell<Name extends keyof WorkerEvents>(name: Name, ...args: WorkerEvents[Name]): void {
    if (this.listenerCount(name) === 0) {
      return;
    }
    const report = (error: unknown) => logError(this.logger, `A listener of "${name}" failed`, error);
    for (const listener of this.rawListeners(name) as ((...args: unknown[]) => unknown)[]) {
      try {
        const result: unknown = listener.apply(this, args);
        if (result instanceof Promise) {
          result.catch(report);
        }
      } catch (error) {
        report(error);
      }
    }
  }
}
