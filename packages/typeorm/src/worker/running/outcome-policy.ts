import type { AnyJobDefinition } from '../../definition/job-definition.js';
import { LONGEST } from '../../duration.js';
import {
  InvalidOptionError,
  InvalidPayloadError,
  JobCancelledError,
  MissingUpcasterError,
  SnoozeJobError,
  UnrecoverableJobError,
  UpcasterFailedError,
} from '../../errors/index.js';
import { type QueueLogger, logError } from '../../logger.js';
import { exponential } from '../../retry/backoff.js';
import type { Redact } from '../../redaction.js';
import type { RetryPolicy } from '../../retry/retry-policy.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { errorText, messageOf } from '../completing/error-text.js';
import { type AttemptResult, RETURNED, SUCCEEDED, type SucceededOutcome } from '../completing/outcome.js';
import type { Attempt } from './attempt.js';

/** The backoff of a job whose own function fails. */
const fallbackBackoff = exponential({ from: '2s', max: '10m' });

const DONE: SucceededOutcome = { kind: 'succeeded', keep: 'none' };

/** Decides the outcome of an attempt from what its handler returned or threw. Never throws. */
export class OutcomePolicy {
  /** @param maxResultBytes the largest result that is stored, in bytes of JSON. */
  constructor(
    private readonly maxResultBytes: number,
    private readonly logger: QueueLogger,
    private readonly redact: Redact,
  ) {}

  afterSuccess({ keep }: AnyJobDefinition, job: ClaimedJob, result: unknown): SucceededOutcome {
    return keep === 'none' ? DONE : this.afterResult(job, result);
  }

  afterError(job: ClaimedJob, retry: RetryPolicy, error: Error, attempt: Attempt): AttemptResult {
    if (attempt.abortReason instanceof JobCancelledError) {
      return { kind: 'cancelled', text: errorText(error, this.redact) };
    }
    if (attempt.abortReason !== undefined) {
      return RETURNED;
    }
    if (error instanceof SnoozeJobError) {
      return { kind: 'snoozed', delay: error.delay, hasRun: true };
    }
    const text = errorText(error, this.redact);
    const failures = job.failures + 1;
    if (isFinal(error) || failures >= retry.attempts) {
      return { kind: 'failed', error, text };
    }
    return { kind: 'retried', error, text, delay: this.backoff(job, retry, failures) };
  }

  /** A result that cannot be stored does not fail the job: the work is done, and another attempt would do it twice. */
  private afterResult(job: ClaimedJob, result: unknown): SucceededOutcome {
    try {
      const text = JSON.stringify(result) as string | undefined;
      if (text === undefined) {
        return SUCCEEDED;
      }
      const bytes = Buffer.byteLength(text);
      if (bytes > this.maxResultBytes) {
        throw new RangeError(`it is ${bytes} bytes of JSON, the limit is ${this.maxResultBytes}`);
      }
      return { kind: 'succeeded', keep: 'all', result: text, resultError: null };
    } catch (error) {
      const resultError = this.redact(`The result was not stored: ${messageOf(error)}`);
      this.logger.warn(`Job "${job.name}" has succeeded. ${resultError}`);
      return { kind: 'succeeded', keep: 'all', result: null, resultError };
    }
  }

  private backoff(job: ClaimedJob, { backoff }: RetryPolicy, failures: number): number {
    try {
      const wait = Math.round(backoff(failures));
      if (wait >= 0 && wait <= LONGEST) {
        return wait;
      }
      throw new InvalidOptionError(
        'retry.backoff',
        backoff,
        `a function that returns milliseconds, at most 36,500 days, not ${wait}`,
      );
    } catch (error) {
      logError(this.logger, `The backoff function of job "${job.name}" failed, the default backoff is used`, error);
      return fallbackBackoff(failures);
    }
  }
}

/** Errors that the next attempt would hit again. */
const FINAL = [UnrecoverableJobError, InvalidPayloadError, MissingUpcasterError, UpcasterFailedError];

function isFinal(error: Error): boolean {
  return FINAL.some((final) => error instanceof final);
}
