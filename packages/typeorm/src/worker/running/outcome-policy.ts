import type { AnyJobDefinition } from '../../definition/job-definition.js';
import { resultToJson } from '../../definition/json-text.js';
import { JobCancelledError, JobCrashedTooOftenError, SnoozeJobError } from '../../errors/index.js';
import { messageOf, toError } from '../../errors/thrown.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { errorText } from '../completing/error-text.js';
import type { OutcomeSettings } from '../completing/outcome-settings.js';
import { type AttemptResult, RETURNED, SUCCEEDED, type SucceededOutcome } from '../completing/outcome.js';
import type { Attempt } from './attempt.js';
import { delayAfter, isFinal } from './failure-policy.js';

const DONE: SucceededOutcome = { kind: 'succeeded', keep: 'none' };

/** The outcome of an attempt whose handler has returned. Never throws. */
export function outcomeOfResult(
  { maxResultBytes, codecs, logger, redact }: OutcomeSettings,
  definition: AnyJobDefinition,
  result: unknown,
): SucceededOutcome {
  const { keep, name } = definition;
  if (keep === 'none') {
    return DONE;
  }
  try {
    const text = resultToJson(result);
    if (text === null) {
      return SUCCEEDED;
    }
    const bytes = Buffer.byteLength(text);
    // Otherwise the encoded text is measured: see `encodeOutcome`.
    if (bytes > maxResultBytes && codecs.encoderFor(definition) === undefined) {
      throw new RangeError(`it is ${bytes} bytes of JSON, the limit is ${maxResultBytes}`);
    }
    return { kind: 'succeeded', keep: 'all', result: text, resultError: null };
  } catch (error) {
    // The work is done. A failed attempt would do it twice.
    const resultError = redact(`The result was not stored: ${messageOf(error)}`);
    logger.warn(`Job "${name}" has succeeded. ${resultError}`);
    return { kind: 'succeeded', keep: 'all', result: null, resultError };
  }
}

/** The outcome of a job that has crashed too often to run again; undefined for others. */
export function outcomeOfCrashes({ crashes }: ClaimedJob, { retry }: AnyJobDefinition): AttemptResult | undefined {
  if (crashes < retry.crashes) {
    return undefined;
  }
  const error = new JobCrashedTooOftenError(crashes);
  return { kind: 'failed', error, text: errorText(error) };
}

/** The outcome of an attempt whose handler has thrown. Never throws. */
export function outcomeOfError(
  { logger, redact }: OutcomeSettings,
  { name, retry }: AnyJobDefinition,
  job: ClaimedJob,
  attempt: Attempt,
  thrown: unknown,
): AttemptResult {
  const error = toError(thrown);
  if (attempt.abortReason instanceof JobCancelledError) {
    return { kind: 'cancelled', text: errorText(error, redact) };
  }
  if (attempt.abortReason !== undefined) {
    return RETURNED;
  }
  if (error instanceof SnoozeJobError) {
    return { kind: 'snoozed', delay: error.delay, hasRun: true };
  }
  const text = errorText(error, redact);
  const failures = job.failures + 1;
  if (isFinal(error) || failures >= retry.attempts) {
    return { kind: 'failed', error, text };
  }
  return { kind: 'retried', error, text, delay: delayAfter(failures, retry, name, logger) };
}
