import { decodePayload } from '../../definition/payload-codec.js';
import { JobTimeoutError, JobCrashedTooOftenError } from '../../errors/index.js';
import type { RetryPolicy } from '../../retry/retry-policy.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import { isThenable } from '../../async/thenable.js';
import { AttemptTimer } from './attempt-timer.js';
import { BatchCalls } from './batch-calls.js';
import { errorText, toError } from '../completing/error-text.js';
import type { InstrumentedCalls } from './instrumented-calls.js';
import { type JobHandler, type SingleJobHandler, isBatchHandler } from '../handlers/job-handler.js';
import type { Attempt } from './attempt.js';
import { canRun, unhandledOutcome } from './unhandled-jobs.js';
import type { AttemptResult } from '../completing/outcome.js';
import type { OutcomePolicy } from './outcome-policy.js';
import type { TransactionalRuns } from './transactional-attempts.js';

/** Runs one job from its stored form to its outcome. Never throws: whatever goes wrong is an outcome. */
export class JobExecutor {
  /** Of the batch handlers, by the name of their job. */
  private readonly batches = new Map<string, BatchCalls>();

  constructor(
    private readonly handlers: ReadonlyMap<string, JobHandler>,
    private readonly transactional: TransactionalRuns,
    private readonly rules: OutcomePolicy,
    private readonly calls: InstrumentedCalls | undefined,
  ) {
    for (const [name, handler] of handlers) {
      if (isBatchHandler(handler)) {
        this.batches.set(name, new BatchCalls(handler, calls));
      }
    }
  }

  /** Whether one more crash makes it a poison job. A policy that allows one only leaves nothing to be careful about. */
  isLastChance(job: ClaimedJob): boolean {
    if (job.crashes === 0) {
      return false;
    }
    const handler = this.handlers.get(job.name);
    return canRun(handler, job) && job.crashes + 1 === handler.definition.retry.crashes;
  }

  /** @returns a promise where something is waited for, or an instrumentation told: each costs a turn, and memory. */
  run(job: ClaimedJob, run: Attempt): AttemptResult | Promise<AttemptResult> {
    const handler = this.handlers.get(job.name);
    if (!canRun(handler, job)) {
      return unhandledOutcome(job, handler);
    }
    // The jobs of a batch handler share its calls, see `BatchCalls`.
    return this.calls === undefined || isBatchHandler(handler)
      ? this.runHere(handler, job, run)
      : this.calls.single(job, run, () => this.runHere(handler, job, run));
  }

  private runHere(handler: JobHandler, job: ClaimedJob, run: Attempt): AttemptResult | Promise<AttemptResult> {
    const { retry, timeout } = handler.definition;
    if (job.crashes >= retry.crashes) {
      const error = new JobCrashedTooOftenError(job.crashes);
      return { kind: 'failed', error, text: errorText(error) };
    }
    if (timeout === undefined) {
      return this.attempt(handler, job, run, undefined);
    }
    const timer = new AttemptTimer(timeout);
    timer.start();
    const attempt = this.attempt(handler, job, run, timer);
    if (isThenable(attempt)) {
      return this.within(timer, attempt, retry, job, run);
    }
    timer.stop();
    return attempt;
  }

  /**
   * The outcome of an attempt, or that it took too long. Where somebody else has aborted the run before, and the handler
   * has not cared, that is why it ends.
   */
  private async within(
    timer: AttemptTimer,
    attempt: Promise<AttemptResult>,
    retry: RetryPolicy,
    job: ClaimedJob,
    run: Attempt,
  ): Promise<AttemptResult> {
    const first = await Promise.race([attempt, timer.isUp]);
    timer.stop();
    if (first !== 'late') {
      return first;
    }
    const error = new JobTimeoutError(timer.timeout);
    const outcome = this.rules.afterError(job, retry, error, run);
    run.timeOut(error, attempt);
    return outcome;
  }

  private attempt(
    handler: JobHandler,
    job: ClaimedJob,
    run: Attempt,
    timer: AttemptTimer | undefined,
  ): AttemptResult | Promise<AttemptResult> {
    try {
      if (isBatchHandler(handler)) {
        const call = this.batches.get(job.name)?.add(job, run, timer, this.isLastChance(job));
        return this.outcomeOf(handler, job, run, call);
      }
      const payload = decodePayload(handler.definition, job.payload, job.payloadVersion);
      return isThenable(payload)
        ? this.afterDecoding(handler, payload, job, run, timer)
        : this.handle(handler, payload, job, run, timer);
    } catch (thrown) {
      return this.afterThrow(handler, job, run, thrown);
    }
  }

  private async afterDecoding(
    handler: SingleJobHandler,
    payload: PromiseLike<unknown>,
    job: ClaimedJob,
    run: Attempt,
    timer: AttemptTimer | undefined,
  ): Promise<AttemptResult> {
    try {
      return await this.handle(handler, await payload, job, run, timer);
    } catch (thrown) {
      return this.afterThrow(handler, job, run, thrown);
    }
  }

  /** @throws what the handler throws before it returns anything. */
  private handle(
    handler: SingleJobHandler,
    payload: unknown,
    job: ClaimedJob,
    run: Attempt,
    timer: AttemptTimer | undefined,
  ): AttemptResult | Promise<AttemptResult> {
    return handler.isTransactional
      ? this.transactional
          .run(handler, payload, job, run, timer)
          .catch((thrown: unknown) => this.afterThrow(handler, job, run, thrown))
      : this.outcomeOf(handler, job, run, handler.handle(payload, run));
  }

  /** @param returned what a handler has returned. */
  private outcomeOf(
    handler: JobHandler,
    job: ClaimedJob,
    run: Attempt,
    returned: unknown,
  ): AttemptResult | Promise<AttemptResult> {
    return isThenable(returned)
      ? this.afterReturn(handler, job, run, returned)
      : this.rules.afterSuccess(handler.definition, job, returned);
  }

  private async afterReturn(
    handler: JobHandler,
    job: ClaimedJob,
    run: Attempt,
    returned: PromiseLike<unknown>,
  ): Promise<AttemptResult> {
    try {
      return this.rules.afterSuccess(handler.definition, job, await returned);
    } catch (thrown) {
      return this.afterThrow(handler, job, run, thrown);
    }
  }

  private afterThrow(handler: JobHandler, job: ClaimedJob, run: Attempt, thrown: unknown): AttemptResult {
    return this.rules.afterError(job, handler.definition.retry, toError(thrown), run);
  }
}
