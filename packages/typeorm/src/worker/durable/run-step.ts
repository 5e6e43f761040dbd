import type { EntityManager } from 'typeorm';

import {
  SnoozeJobError,
  type StepCause,
  StepFailedError,
  StepResultError,
  UnrecoverableJobError,
} from '../../errors/index.js';
import { isPermanentError } from '../../errors/is-permanent-error.js';
import { toError } from '../../errors/thrown.js';
import { logError } from '../../logger.js';
import { errorText } from '../completing/error-text.js';
import type { StepContext } from '../handlers/durable-context.js';
import { delayAfter, isFinal } from '../running/failure-policy.js';
import type { DurableRun } from './durable-run.js';
import { observeStep } from './observe-step.js';
import type { OpenWait } from './open-waits.js';
import { recordInTransaction } from './record-in-transaction.js';
import type { KnownStep } from './run-rows.js';
import { SUSPENDED, StepAttempt } from './step-attempt.js';
import type { ResolvedStepOptions } from './step-options.js';
import { UNKNOWN_CAUSE } from './step-value.js';
import { type StoredText, answerWith, cursorOf, storedCauseOf, storedResultOf } from './stored-text.js';

/** The function of a step: a transactional one gets the manager of its transaction first. */
export type StepFunction = ((step: StepContext) => unknown) | ((manager: EntityManager, step: StepContext) => unknown);

/** After how long a step is tried again whose transaction could not begin or end, in ms. Not counted as a failure. */
const RETRY_AFTER_OUTAGE = 1_000;

/** How a try of a step has ended. */
type StepEnd =
  { readonly stored: number; readonly text?: string | null } | { readonly waits: OpenWait } | typeof SUSPENDED;

/** Returns the stored result of a step, or runs it and stores its result. The body of `job.step`. */
export async function runStep(
  run: DurableRun,
  name: string,
  body: StepFunction,
  options: ResolvedStepOptions,
): Promise<unknown> {
  const known = run.rows.find('step', name);
  if (known?.state === 'open' && known.dueAt !== null && !known.isDue) {
    const { dueAt, failures, value, error } = known;
    return run.wait({ kind: 'step', name, due: { at: dueAt }, failures, value, error });
  }
  let text: string | null | undefined;
  if (known?.state !== 'done' && known?.state !== 'failed') {
    run.rows.assertSpace('step', name);
    const cursor = await cursorOf(run, known?.value ?? null, name);
    const end = await run.busyWhile(() => tryStep(run, name, body, options, known?.failures ?? 0, cursor));
    if (end === SUSPENDED) {
      return run.suspend();
    }
    if ('waits' in end) {
      return run.wait(end.waits);
    }
    text = end.text;
  }
  const { state, seq, failures, value, error } = run.rows.find('step', name) as KnownStep;
  if (state === 'failed') {
    const cause = await answerWith(run, seq, error, 'error', `error of the step "${name}"`);
    throw new StepFailedError(name, failures, (cause as StepCause | undefined) ?? UNKNOWN_CAUSE);
  }
  // The text of a step that has just ended need not be decoded.
  const result = await answerWith(run, seq, text === undefined ? value : text, 'step', `result of the step "${name}"`);
  if (options.schema !== undefined) {
    const { issues } = await options.schema['~standard'].validate(result);
    if (issues) {
      throw new StepResultError(name, issues.map(({ message }) => message).join('; '));
    }
  }
  return result;
}

async function tryStep(
  run: DurableRun,
  name: string,
  body: StepFunction,
  options: ResolvedStepOptions,
  failures: number,
  cursor: StoredText,
): Promise<StepEnd> {
  const attempt = new StepAttempt(run, name, failures, cursor, options);
  try {
    return options.isTransactional
      ? await performInTransaction(run, name, body as (manager: EntityManager, step: StepContext) => unknown, attempt)
      : await perform(run, name, body as (step: StepContext) => unknown, attempt);
  } catch (thrown) {
    run.assertNotAborted();
    return afterFailure(run, name, attempt, options, toError(thrown));
  }
}

async function perform(
  run: DurableRun,
  name: string,
  body: (step: StepContext) => unknown,
  attempt: StepAttempt,
): Promise<StepEnd> {
  const startedAt = performance.now();
  const result = await observeStep(run, name, () => attempt.perform(() => body(attempt)));
  if (result === SUSPENDED) {
    return SUSPENDED;
  }
  const took = Math.round(performance.now() - startedAt);
  try {
    const { text, stored: value } = await storedResultOf(run, result, name);
    const { failuresSoFar: failures } = attempt;
    const stored = await run.record({ kind: 'step', name, state: 'done', value, took, failures });
    run.dependencies.events.emitSafely('stepDone', run.context.attempt, name, took);
    return { stored, text };
  } catch (error) {
    if (!(error instanceof UnrecoverableJobError) && !isPermanentError(error)) {
      throw error;
    }
    // The work is done. Another try would do it twice.
    return fail(run, name, attempt, toError(error));
  }
}

async function performInTransaction(
  run: DurableRun,
  name: string,
  body: (manager: EntityManager, step: StepContext) => unknown,
  attempt: StepAttempt,
): Promise<StepEnd> {
  const { outcomes } = run.dependencies;
  const seq = run.reserveSeq();
  let took = 0;
  let text: string | null = null;
  try {
    const end = await recordInTransaction(run, seq, async (manager) => {
      const startedAt = performance.now();
      const result = await observeStep(run, name, () => attempt.perform(() => body(manager, attempt)));
      const texts = await storedResultOf(run, result, name);
      text = texts.text;
      took = Math.round(performance.now() - startedAt);
      return { kind: 'step', name, state: 'done', value: texts.stored, took, failures: attempt.failuresSoFar };
    });
    if (end.kind === 'stored') {
      run.dependencies.events.emitSafely('stepDone', run.context.attempt, name, took);
      return { stored: seq, text };
    }
    logError(outcomes.logger, `The transaction of the step "${name}" could not begin or end; it runs later`, end.error);
  } finally {
    run.answers.release(seq);
  }
  return waits(name, attempt, RETRY_AFTER_OUTAGE, attempt.failuresSoFar);
}

async function afterFailure(
  run: DurableRun,
  name: string,
  attempt: StepAttempt,
  { retry }: ResolvedStepOptions,
  error: Error,
): Promise<StepEnd> {
  if (error instanceof SnoozeJobError) {
    return waits(name, attempt, error.delay, attempt.failuresSoFar);
  }
  const failures = attempt.failuresSoFar + 1;
  if (isFinal(error) || failures >= retry.attempts) {
    return fail(run, name, attempt, error);
  }
  const { logger, redact } = run.dependencies.outcomes;
  const delay = delayAfter(failures, retry, run.context.job.name, logger);
  run.dependencies.events.emitSafely('stepFailed', run.context.attempt, name, error, delay);
  return {
    waits: {
      ...waits(name, attempt, delay, failures).waits,
      error: await storedCauseOf(run, error, name),
      text: errorText(error, redact),
    },
  };
}

function waits(
  name: string,
  { storedCursor }: StepAttempt,
  delay: number,
  failures: number,
): { readonly waits: OpenWait } {
  return { waits: { kind: 'step', name, due: { delay }, failures, value: storedCursor } };
}

/** The step is not tried again: that is its result. */
async function fail(run: DurableRun, name: string, attempt: StepAttempt, error: Error): Promise<StepEnd> {
  const cause = await storedCauseOf(run, error, name);
  const failures = attempt.failuresSoFar + 1;
  const value = attempt.storedCursor;
  const stored = await run.record({ kind: 'step', name, state: 'failed', failures, value, error: cause });
  run.dependencies.events.emitSafely('stepFailed', run.context.attempt, name, error, undefined);
  return { stored };
}
