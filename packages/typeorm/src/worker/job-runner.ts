import { decodePayload } from '../definition/payload-codec.js';
import { InvalidOptionError, InvalidPayloadError, JobCancelledError, UnrecoverableJobError } from '../errors/index.js';
import { type QueueLogger, logError } from '../logger.js';
import { exponential } from '../retry/backoff.js';
import type { RetryPolicy } from '../retry/retry-policy.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import { errorText, toError } from './error-text.js';
import type { JobHandler } from './job-handler.js';
import type { JobRun } from './job-run.js';
import type { RunOutcome } from './outcome.js';

/**
 * How long a job without a handler is left alone, by how often that happened: it costs a claim each time, but a newer
 * process that knows it should not have to wait long either.
 */
const unhandledWait = exponential({ from: '5s', max: '5m' });
/** What a job waits whose own back-off function fails. */
const fallbackBackoff = exponential({ from: '2s', max: '10m' });

const DONE: RunOutcome = { kind: 'succeeded', keep: 'none' };

/** Runs one job from its stored form to its outcome. Never throws: whatever goes wrong is an outcome. */
export class JobRunner {
  /** @param largestResult the largest result that is kept, in bytes of JSON. */
  constructor(
    private readonly handlers: ReadonlyMap<string, JobHandler>,
    private readonly largestResult: number,
    private readonly logger: QueueLogger,
  ) {}

  async run(job: ClaimedJob, run: JobRun): Promise<RunOutcome> {
    const handler = this.handlers.get(job.name);
    if (!handler) {
      return { kind: 'unhandled', delay: unhandledWait(job.attempt) };
    }
    try {
      const payload = decodePayload(handler.definition, job.payload);
      const result = handler.handle(isThenable(payload) ? await payload : payload, run);
      const value = isThenable(result) ? await result : result;
      return handler.definition.keep === 'none' ? DONE : this.afterResult(job, value);
    } catch (thrown) {
      return this.afterError(job, handler.definition.retry, toError(thrown), run);
    }
  }

  /** The work is done, whatever is wrong with the result: running the job again would do it twice. */
  private afterResult(job: ClaimedJob, result: unknown): RunOutcome {
    try {
      const text = result === undefined ? null : (JSON.stringify(result) ?? null);
      const bytes = text === null ? 0 : Buffer.byteLength(text);
      if (bytes > this.largestResult) {
        throw new RangeError(`it is ${bytes} bytes of JSON, the limit is ${this.largestResult}`);
      }
      return { kind: 'succeeded', keep: 'all', result: text, note: null };
    } catch (error) {
      const note = `The result was not kept: ${toError(error).message}`;
      this.logger.warn(`Job "${job.name}" has succeeded. ${note}`);
      return { kind: 'succeeded', keep: 'all', result: null, note };
    }
  }

  private afterError(job: ClaimedJob, retry: RetryPolicy, error: Error, run: JobRun): RunOutcome {
    const text = errorText(error);
    if (run.abortReason !== undefined) {
      return run.abortReason instanceof JobCancelledError ? { kind: 'cancelled', text } : { kind: 'released' };
    }
    const failures = job.failures + 1;
    if (isFinal(error) || failures >= retry.attempts) {
      return { kind: 'failed', error, text };
    }
    return { kind: 'retried', error, text, delay: this.backoff(job, retry, failures) };
  }

  private backoff(job: ClaimedJob, { backoff }: RetryPolicy, failures: number): number {
    try {
      const wait = Math.round(backoff(failures));
      if (wait >= 0 && Number.isSafeInteger(wait)) {
        return wait;
      }
      throw new InvalidOptionError('retry.backoff', backoff, `a function that returns milliseconds, not ${wait}`);
    } catch (error) {
      logError(this.logger, `The back-off of job "${job.name}" failed, the default one is used`, error);
      return fallbackBackoff(failures);
    }
  }
}

/** Nothing is awaited that need not be: it costs every job a turn of its own. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = typeof value === 'object' || typeof value === 'function';
  return isObject && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Errors that the next attempt would meet again. */
function isFinal(error: Error): boolean {
  return error instanceof UnrecoverableJobError || error instanceof InvalidPayloadError;
}
