import { LONGEST } from '../../duration.js';
import {
  ChildCancelledError,
  ChildFailedError,
  DecodeFailedError,
  DuplicateStepError,
  InvalidOptionError,
  InvalidPayloadError,
  MissingUpcasterError,
  NestedStepError,
  StepFailedError,
  StepLimitError,
  StepResultError,
  StepsUnavailableError,
  UnrecoverableJobError,
  UnrepeatedStepError,
  UpcasterFailedError,
} from '../../errors/index.js';
import { type QueueLogger, logError } from '../../logger.js';
import { exponential } from '../../retry/backoff.js';
import type { RetryPolicy } from '../../retry/retry-policy.js';

/** The backoff of a job whose own function fails. */
const fallbackBackoff = exponential({ from: '2s', max: '10m' });

/** Returns how long to wait after a failure, in ms. Never throws. */
export function delayAfter(
  failures: number,
  { backoff }: Pick<RetryPolicy, 'backoff'>,
  name: string,
  logger: QueueLogger,
): number {
  try {
    const delay = Math.round(backoff(failures));
    if (delay >= 0 && delay <= LONGEST) {
      return delay;
    }
    throw new InvalidOptionError(
      'retry.backoff',
      backoff,
      `a function that returns milliseconds, at most 36,500 days, not ${delay}`,
    );
  } catch (error) {
    logError(logger, `The backoff function of job "${name}" failed, the default backoff is used`, error);
    return fallbackBackoff(failures);
  }
}

/** Errors that the next attempt would hit again. */
const FINAL = [
  UnrecoverableJobError,
  InvalidPayloadError,
  MissingUpcasterError,
  UpcasterFailedError,
  DecodeFailedError,
  StepFailedError,
  ChildFailedError,
  ChildCancelledError,
  DuplicateStepError,
  NestedStepError,
  StepResultError,
  StepLimitError,
  StepsUnavailableError,
  UnrepeatedStepError,
];

/** Whether a job or a step that throws this is not tried again. */
export function isFinal(error: Error): boolean {
  return FINAL.some((final) => error instanceof final);
}
