import { isThenable } from '../../async/thenable.js';
import { EVENTS_QUEUE } from '../../definition/event-queue.js';
import { JobTimeoutError } from '../../errors/index.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { EventRuns } from '../subscriptions/event-runs.js';
import { type EncodedOutcome, encodeOutcome } from '../completing/encode-outcome.js';
import type { AttemptResult } from '../completing/outcome.js';
import { type JobHandler, type SingleJobHandler, isBatchHandler } from '../handlers/job-handler.js';
import { AttemptTimer } from './attempt-timer.js';
import type { Attempt } from './attempt.js';
import type { DurableDependencies } from '../durable/durable-dependencies.js';
import { DurableRun } from '../durable/durable-run.js';
import { BatchCalls } from './batch-calls.js';
import type { Instrumentation } from '../../instrumentation/instrumentation.js';
import { observeJob } from './instrumented-calls.js';
import { outcomeOfCrashes, outcomeOfError, outcomeOfResult } from './outcome-policy.js';
import { readPayload } from './read-payload.js';
import { type TransactionalDependencies, runInTransaction } from './transactional-attempt.js';
import { canRun, unhandledOutcome } from './unhandled-jobs.js';

/** What an executor works with. */
export interface ExecutorDependencies extends TransactionalDependencies {
  /** By the name of the job. */
  readonly handlers: ReadonlyMap<string, JobHandler>;
  readonly instrumentation: Instrumentation | undefined;
  readonly durable: DurableDependencies;
}

/** Runs a claimed job: decodes the payload, calls the handler and decides the outcome. Never throws. */
export class JobExecutor {
  /** By the name of the job, for batch handlers. */
  private readonly batches = new Map<string, BatchCalls>();

  private readonly eventRuns: EventRuns;

  constructor(private readonly dependencies: ExecutorDependencies) {
    this.eventRuns = new EventRuns(dependencies.durable);
    for (const [name, handler] of dependencies.handlers) {
      if (isBatchHandler(handler)) {
        this.batches.set(name, new BatchCalls(handler, dependencies.outcomes.codecs, dependencies.instrumentation));
      }
    }
  }

  /** Whether one more crash fails the job as poison. Always false for a policy that allows a single crash. */
  isLastChance(job: ClaimedJob): boolean {
    if (job.crashes === 0) {
      return false;
    }
    const handler = this.dependencies.handlers.get(job.name);
    return (
      canRun(handler, job, this.dependencies.outcomes.codecs) && job.crashes + 1 === handler.definition.retry.crashes
    );
  }

  get hasBatches(): boolean {
    return this.batches.size > 0;
  }

  /** Makes the calls that wait for more jobs: of one queue, or all. */
  callWaitingBatches(queue?: string): void {
    this.batches.forEach((calls) => {
      if (queue === undefined || calls.queue === queue) {
        calls.callWaiting();
      }
    });
  }

  /** The worker stops: no call waits for more jobs from now on. */
  stopWaitingForBatches(): void {
    this.batches.forEach((calls) => calls.stopWaiting());
  }

  /** Makes the run of an attempt that makes its first durable call. */
  startDurableRun(job: ClaimedJob, attempt: Attempt): DurableRun {
    const { definition } = this.dependencies.handlers.get(job.name) as JobHandler;
    const outcomeOfAbort = () => {
      return outcomeOfError(this.dependencies.outcomes, definition, job, attempt, attempt.abortReason);
    };
    return new DurableRun(this.dependencies.durable, { job, attempt, definition, outcomeOfAbort });
  }

  /** @returns a promise only where something is awaited or instrumented: each costs a tick and memory. */
  execute(job: ClaimedJob, attempt: Attempt): AttemptResult | Promise<AttemptResult> {
    const { instrumentation } = this.dependencies;
    if (job.queue === EVENTS_QUEUE) {
      const run = () => this.eventRuns.run(job, attempt);
      return instrumentation === undefined ? run() : observeJob(instrumentation, job, attempt, run);
    }
    const handler = this.dependencies.handlers.get(job.name);
    if (!canRun(handler, job, this.dependencies.outcomes.codecs)) {
      return unhandledOutcome(job, handler);
    }
    // The jobs of a batch handler are observed by call, see `BatchCalls`.
    return instrumentation === undefined || isBatchHandler(handler)
      ? this.runHandler(handler, job, attempt)
      : observeJob(instrumentation, job, attempt, () => this.runHandler(handler, job, attempt));
  }

  /** Encodes an outcome and the last progress; undefined if the job has no codec. */
  encodeOutcome(
    { name }: ClaimedJob,
    outcome: AttemptResult,
    progress: string | null,
  ): Promise<EncodedOutcome<AttemptResult>> | undefined {
    const { handlers, outcomes } = this.dependencies;
    const handler = handlers.get(name);
    const encoder = handler && outcomes.codecs.encoderFor(handler.definition);
    return encoder && encodeOutcome(outcomes, encoder, name, outcome, progress);
  }

  private runHandler(handler: JobHandler, job: ClaimedJob, attempt: Attempt): AttemptResult | Promise<AttemptResult> {
    const { timeout } = handler.definition;
    const poison = outcomeOfCrashes(job, handler.definition);
    if (poison) {
      return poison;
    }
    if (timeout === undefined) {
      return this.callHandler(handler, job, attempt, undefined);
    }
    const timer = new AttemptTimer(timeout);
    attempt.timer = timer;
    timer.start();
    const result = this.callHandler(handler, job, attempt, timer);
    if (isThenable(result)) {
      return this.withTimeout(timer, result, handler, job, attempt);
    }
    timer.stop();
    return result;
  }

  /** An attempt that was aborted before it timed out, and whose handler went on, ends for the reason of the abort. */
  private async withTimeout(
    timer: AttemptTimer,
    result: Promise<AttemptResult>,
    handler: JobHandler,
    job: ClaimedJob,
    attempt: Attempt,
  ): Promise<AttemptResult> {
    const first = await Promise.race([result, timer.expired]);
    timer.stop();
    if (first !== 'late') {
      return first;
    }
    const error = new JobTimeoutError(timer.timeout);
    const outcome = this.afterThrow(handler, job, attempt, error);
    attempt.timeOut(error, result);
    return outcome;
  }

  private callHandler(
    handler: JobHandler,
    job: ClaimedJob,
    attempt: Attempt,
    timer: AttemptTimer | undefined,
  ): AttemptResult | Promise<AttemptResult> {
    try {
      if (isBatchHandler(handler)) {
        const result = this.batches.get(job.name)?.addJob(job, attempt, timer, this.isLastChance(job));
        return this.outcomeOf(handler, job, attempt, result);
      }
      const payload = readPayload(this.dependencies.outcomes.codecs, handler.definition, job);
      return isThenable(payload)
        ? this.afterDecoding(handler, payload, job, attempt, timer)
        : this.callWithPayload(handler, payload, job, attempt, timer);
    } catch (thrown) {
      void attempt.handlerEnded();
      return this.afterThrow(handler, job, attempt, thrown);
    }
  }

  private async afterDecoding(
    handler: SingleJobHandler,
    payload: PromiseLike<unknown>,
    job: ClaimedJob,
    attempt: Attempt,
    timer: AttemptTimer | undefined,
  ): Promise<AttemptResult> {
    try {
      return await this.callWithPayload(handler, await payload, job, attempt, timer);
    } catch (thrown) {
      void attempt.handlerEnded();
      return this.afterThrow(handler, job, attempt, thrown);
    }
  }

  /** @throws what the handler throws synchronously. */
  private callWithPayload(
    handler: SingleJobHandler,
    payload: unknown,
    job: ClaimedJob,
    attempt: Attempt,
    timer: AttemptTimer | undefined,
  ): AttemptResult | Promise<AttemptResult> {
    return handler.isTransactional
      ? runInTransaction(this.dependencies, handler, payload, job, attempt, timer).catch((thrown: unknown) =>
          this.afterThrow(handler, job, attempt, thrown),
        )
      : this.outcomeOf(handler, job, attempt, handler.handle(payload, attempt));
  }

  private outcomeOf(
    handler: JobHandler,
    job: ClaimedJob,
    attempt: Attempt,
    returned: unknown,
  ): AttemptResult | Promise<AttemptResult> {
    if (isThenable(returned) || attempt.durableRun) {
      return this.afterReturn(handler, job, attempt, returned);
    }
    void attempt.handlerEnded();
    return outcomeOfResult(this.dependencies.outcomes, handler.definition, returned);
  }

  private async afterReturn(
    handler: JobHandler,
    job: ClaimedJob,
    attempt: Attempt,
    returned: unknown,
  ): Promise<AttemptResult> {
    try {
      const result = await returned;
      const durableEnd = attempt.handlerEnded();
      const earlyEnd = durableEnd && (await durableEnd);
      attempt.durableRun?.assertRepeated();
      return earlyEnd ?? outcomeOfResult(this.dependencies.outcomes, handler.definition, result);
    } catch (thrown) {
      const durableEnd = attempt.handlerEnded();
      const earlyEnd = durableEnd && (await durableEnd);
      return earlyEnd ?? this.afterThrow(handler, job, attempt, thrown);
    }
  }

  private afterThrow(handler: JobHandler, job: ClaimedJob, attempt: Attempt, thrown: unknown): AttemptResult {
    return outcomeOfError(this.dependencies.outcomes, handler.definition, job, attempt, thrown);
  }
}
