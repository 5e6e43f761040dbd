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
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import { errorText, messageOf } from '../completing/error-text.js';
import type { Attempt } from './attempt.js';
import { RETURNED, type AttemptResult, SUCCEEDED, type SucceededOutcome } from '../completing/outcome.js';

/** What a job waits whose own back-off function fails. */
const fallbackBackoff = exponential({ from: '2s', max: '10m' });

const DONE: SucceededOutcome = { kind: 'succeeded', keep: 'none' };

/** Makes outcomes of what handlers return and throw. Never throws. */
export class OutcomePolicy {
  /** @param largestResult the largest result that is kept, in bytes of JSON. */
  constructor(
    private readonly largestResult: number,
    private readonly logger: QueueLogger,
    private readonly redact: Redact,
  ) {}

  afterSuccess({ keep }: AnyJobDefinition, job: ClaimedJob, result: unknown): SucceededOutcome {
    return keep === 'none' ? DONE : this.afterResult(job, result);
  }

  afterError(job: ClaimedJob, retry: RetryPolicy, error: Error, run: Attempt): AttemptResult {
    if (run.abortReason instanceof JobCancelledError) {
      return { kind: 'cancelled', text: errorText(error, this.redact) };
    }
    if (run.abortReason !== undefined) {
      return RETURNED;
    }
    if (error instanceof SnoozeJobError) {
      return { kind: 'snoozed', delay: error.delay, hasEnded: true };
    }
    const text = errorText(error, this.redact);
    const failures = job.failures + 1;
    if (isFinal(error) || failures >= retry.attempts) {
      return { kind: 'failed', error, text };
    }
    return { kind: 'retried', error, text, delay: this.backoff(job, retry, failures) };
  }

  /** The work is done, whatever is wrong with the result: running the job again would do it twice. */
  private afterResult(job: ClaimedJob, result: unknown): SucceededOutcome {
    try {
      const text = JSON.stringify(result) as string | undefined;
      if (text === undefined) {
        return SUCCEEDED;
      }
      const bytes = Buffer.byteLength(text);
      if (bytes > this.largestResult) {
        throw new RangeError(`it is ${bytes} bytes of JSON, the limit is ${this.largestResult}`);
      }
      return { kind: 'succeeded', keep: 'all', result: text, note: null };
    } catch (error) {
      const note = this.redact(`The result was not kept: ${messageOf(error)}`);
      this.logger.warn(`Job "${job.name}" has succeeded. ${note}`);
      return { kind: 'succeeded', keep: 'all', result: null, note };
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
      logError(this.logger, `The back-off of job "${job.name}" failed, the default one is used`, error);
      return fallbackBackoff(failures);
    }
  }
}

/** Errors that the next attempt would meet again. */
const FINAL = [UnrecoverableJobError, InvalidPayloadError, MissingUpcasterError, UpcasterFailedError];

function isFinal(error: Error): boolean {
  return FINAL.some((final) => error instanceof final);
}
