import { type QueueLogger, logError } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { type ParkedOutcome, type PendingOutcome, STILL_RUNNING } from '../completing/outcome.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';
import type { Attempt } from './attempt.js';

/** Reports stored outcomes: as events, in the log, and to those that wait for a job's end. */
export class OutcomeEvents {
  private readonly warnedTexts = new Set<string>();

  /** @param onFinished called for each job that has succeeded, failed or was cancelled. */
  constructor(
    private readonly onFinished: (job: ClaimedJob, id: string) => void,
    private readonly events: WorkerEventEmitter,
    private readonly logger: QueueLogger,
  ) {}

  /** The outcome is stored. */
  emitOutcome(job: ClaimedJob, attempt: Attempt, outcome: PendingOutcome): void {
    switch (outcome.kind) {
      case 'failed':
        this.onFinished(job, attempt.id);
        logError(this.logger, `Job ${attempt.id} (${attempt.name}) failed for good`, outcome.error);
        this.events.emitSafely('failed', attempt, outcome.error);
        break;
      case 'succeeded':
      case 'cancelled':
        this.onFinished(job, attempt.id);
        this.events.emitSafely(outcome.kind, attempt);
        break;
      case 'retried':
        this.events.emitSafely('retried', attempt, outcome.error, outcome.delay);
        break;
      case 'snoozed':
        this.warnIfStillRunning(attempt, outcome);
        this.events.emitSafely('snoozed', attempt, outcome.delay);
        break;
      case 'parked':
        this.events.emitSafely('parked', attempt, outcome.delay, waitsOf(outcome));
        break;
      case 'unhandled':
        this.warnUnhandled(outcome.text);
        this.events.emitSafely('unhandled', attempt, outcome.delay, outcome.reason);
        break;
      case 'returned':
        this.events.emitSafely('returned', attempt);
        break;
    }
  }

  /** Another worker had taken the job over, so nothing was stored. */
  emitLost(attempt: Attempt): void {
    this.logger.warn(
      `Job ${attempt.id} (${attempt.name}) was taken over by another worker; this attempt does not count.`,
    );
    this.events.emitSafely('lost', attempt);
  }

  logGivenUp(attempt: Attempt, error: unknown): void {
    logError(this.logger, `The outcome of job ${attempt.id} (${attempt.name}) is lost, it runs again elsewhere`, error);
  }

  private warnIfStillRunning({ id, name }: Attempt, outcome: PendingOutcome): void {
    if (outcome === STILL_RUNNING) {
      this.logger.warn(
        `Job ${id} (${name}) is left to other processes: an attempt that timed out still runs in this one. End the ` +
          'handler when its signal is aborted.',
      );
    }
  }

  /** Once for each name and version: during a deployment there may be thousands of such jobs. */
  private warnUnhandled(text: string): void {
    if (!this.warnedTexts.has(text)) {
      this.warnedTexts.add(text);
      this.logger.warn(text);
    }
  }
}

/** The names of the open waits. */
function waitsOf({ waits }: ParkedOutcome): readonly string[] {
  return [...new Set(waits.map(({ name }) => name))];
}
