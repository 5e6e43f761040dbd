import { type QueueLogger, logError } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import type { Attempt } from './attempt.js';
import { STILL_RUNNING, type PendingOutcome } from '../completing/outcome.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';

/** Tells what has come of runs: events, logs, and whoever waits for a job's end. */
export class OutcomeEvents {
  private readonly reported = new Set<string>();

  /** @param onFinished told of each job that has ended for good. */
  constructor(
    private readonly onFinished: (job: ClaimedJob, id: string) => void,
    private readonly events: WorkerEventEmitter,
    private readonly logger: QueueLogger,
  ) {}

  /** The outcome is written down. */
  written(job: ClaimedJob, run: Attempt, outcome: PendingOutcome): void {
    switch (outcome.kind) {
      case 'failed':
        this.onFinished(job, run.id);
        logError(this.logger, `Job ${run.id} (${run.name}) failed for good`, outcome.error);
        this.events.tell('failed', run, outcome.error);
        break;
      case 'succeeded':
      case 'cancelled':
        this.onFinished(job, run.id);
        this.events.tell(outcome.kind, run);
        break;
      case 'retried':
        this.events.tell('retried', run, outcome.error, outcome.delay);
        break;
      case 'snoozed':
        this.reportOverrun(run, outcome);
        this.events.tell('snoozed', run, outcome.delay);
        break;
      case 'unhandled':
        this.reportUnhandled(outcome.text);
        this.events.tell('unhandled', run, outcome.delay, outcome.reason);
        break;
      case 'released':
        this.events.tell('released', run);
        break;
    }
  }

  /** Another worker had the job, so nothing was written down. */
  lost(run: Attempt): void {
    this.logger.warn(`Job ${run.id} (${run.name}) was taken over by another worker; this run does not count.`);
    this.events.tell('lost', run);
  }

  givenUp(run: Attempt, error: unknown): void {
    logError(this.logger, `The outcome of job ${run.id} (${run.name}) is lost, it runs again elsewhere`, error);
  }

  private reportOverrun({ id, name }: Attempt, outcome: PendingOutcome): void {
    if (outcome === STILL_RUNNING) {
      this.logger.warn(
        `Job ${id} (${name}) is left to other processes: an attempt whose timeout is over still runs in this one. Its ` +
          'handler should end when its signal is aborted.',
      );
    }
  }

  /** Once for each name, and version: during a deployment thousands of such jobs may pass. */
  private reportUnhandled(text: string): void {
    if (!this.reported.has(text)) {
      this.reported.add(text);
      this.logger.warn(text);
    }
  }
}
