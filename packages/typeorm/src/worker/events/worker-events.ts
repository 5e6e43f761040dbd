import { EventEmitter } from 'node:events';

import { type QueueLogger, logError } from '../../logger.js';
import type { JobInfo } from '../handlers/job-handler.js';
import type { UnhandledReason } from '../completing/outcome.js';

/**
 * The events of a worker, about the jobs it runs, the stalled jobs it frees and the expired ones it ends. All but
 * `started` and `stepFailed` come after the outcome was committed.
 *
 * A worker reports only its own jobs: a job that ends in another process is reported there.
 */
export interface WorkerEvents {
  /** The handler is about to be called. */
  started: [job: JobInfo];
  /** The job has succeeded. */
  succeeded: [job: JobInfo];
  /** The job has failed for good: no attempt is left, or the error was unrecoverable. */
  failed: [job: JobInfo, error: Error];
  /** An attempt has failed; the next one follows after `delay` ms. */
  retried: [job: JobInfo, error: Error, delay: number];
  /**
   * Runs later, after `delay` ms, and not counted as a failure: the handler threw a `SnoozeJobError`, or this process
   * must not run the job now, see `docs/guides/failures.md`.
   */
  snoozed: [job: JobInfo, delay: number];
  /**
   * The job waits: for a time, for a signal, or for the next try of a step. It goes on after about `delay` ms;
   * undefined if only a signal wakes it up. `waits` are the names of its open waits.
   */
  parked: [job: JobInfo, delay: number | undefined, waits: readonly string[]];
  /** A step of a durable job is stored. It took this long, in ms. */
  stepDone: [job: JobInfo, step: string, took: number];
  /** A step of a durable job has thrown. It is tried again after `delay` ms; undefined if it has failed for good. */
  stepFailed: [job: JobInfo, step: string, error: Error, delay: number | undefined];
  /**
   * This process cannot run the job. It has no handler (`'no-handler'`), a definition whose `version` is lower than the
   * payload's (`'newer-payload'`), or not the codec of a stored value (`'unknown-codec'`). Another process may run it;
   * this one tries again after `delay` ms.
   */
  unhandled: [job: JobInfo, delay: number, reason: UnhandledReason];
  /** The job was cancelled while it ran. */
  cancelled: [job: JobInfo];
  /**
   * The job had not started before its expiry time, see `expiresIn`. The worker whose claim or reaper has ended it
   * reports it.
   */
  expired: [job: JobInfo];
  /** The worker stops or has lost its lease, and the job was returned to the queue. */
  returned: [job: JobInfo];
  /** Another worker had taken the job over, so this worker's outcome was not stored. */
  lost: [job: JobInfo];
  /**
   * The job's worker has died or lost its lease, and the reaper of this worker has made the job ready again. Only one
   * process reports it, usually not the one that ran it. `attempt` is the attempt that was interrupted.
   */
  stalled: [job: JobInfo];
  /**
   * This worker has run jobs of the queue, runs none any more, and a poll found none ready. Emitted each time this
   * becomes true. Other workers may still run some, and some may be scheduled or waiting.
   */
  drained: [queue: string];
}

/** Emits events. An error in a listener is logged and never affects a job. */
export class WorkerEventEmitter extends EventEmitter<WorkerEvents> {
  constructor(private readonly logger: QueueLogger) {
    super();
  }

  /** Calls the listeners and catches their errors, synchronous or not. */
  emitSafely<Name extends keyof WorkerEvents>(name: Name, ...args: WorkerEvents[Name]): void {
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
