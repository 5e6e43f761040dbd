import {
  type JobContext,
  type TableQueue,
  SnoozeJobError,
  UnrecoverableJobError,
  jobHandler,
} from '@tablequeue/typeorm';
import { type DrainedJob, TestingQueue } from '@tablequeue/typeorm/testing';

import { RecordingLogger } from '../../support/recording-logger.js';
import { waitFor } from '../../support/wait-for.js';
import { machineJob } from './machine-job.js';
import { type End, SNOOZE, UNIT } from './model-job.js';

/** A drain's outcomes contain everything it logs. */
const SILENT = new RecordingLogger();

/** A worker that runs one job at a time and holds it until the test ends its handler. */
export class HeldDrain {
  private held: { readonly job: JobContext; readonly end: (how: End) => void } | undefined;
  private resolveNext: (id: string | undefined) => void = () => undefined;
  private rejectNext: (error: unknown) => void = () => undefined;
  /** The outcomes of its jobs, once it has ended. */
  runs: readonly DrainedJob[] | undefined;

  constructor(private readonly queue: TableQueue) {}

  /** @returns the job that runs first; undefined where there is none. */
  begin(): Promise<string | undefined> {
    const next = this.next();
    const handler = jobHandler(machineJob, (_payload, job) => {
      return new Promise<void>((resolve, reject) => {
        this.held = { job, end: (how) => (how === 'succeed' ? resolve() : reject(errorOf(how))) };
        this.resolveNext(job.id);
      });
    });
    new TestingQueue(this.queue, [handler], { logger: SILENT }).drain({ failures: 'return' }).then(
      (runs) => {
        this.runs = runs;
        return this.resolveNext(undefined);
      },
      (error: unknown) => this.rejectNext(error),
    );
    return next;
  }

  /**
   * Ends the job that runs.
   *
   * @param waits whether to wait until its signal is aborted.
   * @returns the next one, and whether the signal of the one before was aborted.
   */
  async finish(how: End, waits: boolean): Promise<{ readonly isAborted: boolean; readonly next: string | undefined }> {
    const { job, end } = this.held!;
    if (waits) {
      await waitFor('the signal is aborted', () => job.signal.aborted);
    }
    this.held = undefined;
    const next = this.next();
    const isAborted = job.signal.aborted;
    end(how);
    return { isAborted, next: await next };
  }

  /** Ends its jobs until none is left. */
  async close(): Promise<void> {
    while (this.held) {
      await this.finish('succeed', false);
    }
  }

  private next(): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      this.resolveNext = resolve;
      this.rejectNext = reject;
    });
  }
}

function errorOf(how: Exclude<End, 'succeed'>): Error {
  switch (how) {
    case 'fail':
      return new Error('failed');
    case 'fail for good':
      return new UnrecoverableJobError('failed for good');
    case 'snooze':
      return new SnoozeJobError(SNOOZE * UNIT);
  }
}
