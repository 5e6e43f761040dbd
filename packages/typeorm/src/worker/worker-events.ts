import { EventEmitter } from 'node:events';

import { type QueueLogger, logError } from '../logger.js';
import type { JobInfo } from './job-handler.js';
import type { UnhandledReason } from './left-to-others.js';

/** What a worker tells about the jobs it runs. All but `started` come after the outcome was committed. */
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
