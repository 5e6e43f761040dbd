import { DuplicateStepError, LeaseLostError, RunEndedError, UnrepeatedStepError } from '../../errors/index.js';
import { assertStepsAvailable } from '../../store/base/steps/assert-steps-available.js';
import { markDurable } from '../../store/base/steps/jobs-with-steps.js';
import { type AttemptResult, RETURNED } from '../completing/outcome.js';
import { AnswerQueue } from './answer-queue.js';
import { assertOutsideStep } from './current-step.js';
import { CursorOrder } from './cursor-order.js';
import type { DurableCall } from './durable-call.js';
import type { DurableDependencies, RunContext } from './durable-dependencies.js';
import { type OpenWait, OpenWaits } from './open-waits.js';
import { type RowFields, RunRows, keyOf } from './run-rows.js';
import type { AssertMayWait, StepRecorder } from './step-recorder.js';
import { WaitNames } from './wait-names.js';

/**
 * The durable calls of one attempt. Made at the first of them.
 *
 * It ends when its handler has ended or waits, and nothing of it is in progress: no step, and no statement. Its
 * outcome is stored after that, so the end of an attempt loses no result. The promise of a call that waits never
 * resolves.
 */
export class DurableRun {
  readonly waitNames = new WaitNames();
  readonly cursors = new CursorOrder();
  readonly rows: RunRows;
  private readonly used = new Set<string>();
  private readonly waits = new OpenWaits();
  private readonly answers = new AnswerQueue(() => this.check());
  private loading: Promise<void> | undefined;
  /** How many steps and statements are in progress. */
  private busy = 0;
  private isReturning = false;
  private isCheckScheduled = false;
  private hasHandlerEnded = false;
  private earlyEnd: AttemptResult | undefined;
  private whenIdle: (() => void) | undefined;
  /** How far the database's clock is ahead of `performance.now()`, in ms, about. */
  private clockAhead = performance.timeOrigin;

  constructor(
    readonly dependencies: DurableDependencies,
    readonly context: RunContext,
  ) {
    this.rows = new RunRows(context.job);
    markDurable(context.job);
  }

  /** Makes a durable call. Its promise never resolves if the run ends meanwhile. */
  call<T>(call: DurableCall<T>): Promise<T> {
    return this.begin(call);
  }

  /** Whether the run must end here: the worker stops, or a test wants it. */
  mustReturn(): boolean {
    const { isStopping, endsAfterEachStep } = this.dependencies;
    this.isReturning ||= isStopping() || (endsAfterEachStep && this.rows.hasStored);
    return this.isReturning;
  }

  /** The number of the next row. Answers with higher numbers wait for `answer` or `releaseSeq`. */
  reserveSeq(): number {
    const seq = this.rows.nextSeq();
    this.answers.reserve(seq);
    return seq;
  }

  releaseSeq(seq: number): void {
    this.answers.release(seq);
  }

  /** Resolves when it is the turn of a recorded result. */
  answer(seq: number): Promise<void> {
    return this.answers.give(seq);
  }

  /** Adds an open wait. Never resolves. */
  wait(wait: OpenWait): Promise<never> {
    this.waits.add(wait);
    return this.suspend();
  }

  /** Ends a branch of the handler. Never resolves. */
  suspend(): Promise<never> {
    this.check();
    return new Promise(() => undefined);
  }

  /** Does something during which the run must not end. */
  async busyWhile<T>(work: () => Promise<T>): Promise<T> {
    this.busy++;
    try {
      return await work();
    } finally {
      this.busy--;
      this.check();
    }
  }

  /** @throws the reason of an abort. */
  readonly assertNotAborted = (): void => {
    const { abortReason } = this.context.attempt;
    if (abortReason !== undefined) {
      throw abortReason;
    }
  };

  /**
   * Stores a row.
   *
   * @returns its number, which is reserved: see `answer` and `releaseSeq`.
   * @throws LeaseLostError, StepLimitError, and what `StepRecorder.record` throws.
   */
  async record(fields: RowFields): Promise<number> {
    const seq = this.reserveSeq();
    try {
      const row = this.rows.prepare(fields, seq);
      await this.change((recorder, assertMayWait) => recorder.record(row, assertMayWait));
      this.rows.onStored(row);
      return seq;
    } catch (error) {
      this.releaseSeq(seq);
      throw error;
    }
  }

  /**
   * Lets the recorder change something for this job.
   *
   * @throws LeaseLostError, and what the recorder throws.
   */
  change<T>(work: (recorder: StepRecorder, assertMayWait: AssertMayWait) => Promise<T | 'lost'>) {
    return this.busyWhile(async () => {
      const answer = await work(this.dependencies.recorder, this.assertNotAborted);
      if (answer === 'lost') {
        throw this.lose();
      }
      return answer as Exclude<T, 'lost'>;
    });
  }

  /** Another worker has the job. @returns the error to throw. */
  lose(): LeaseLostError {
    const error = new LeaseLostError();
    this.context.attempt.abort(error);
    return error;
  }

  /**
   * The handler has ended. Resolves when nothing of the run is in progress.
   *
   * @returns the outcome of a run that has ended before its handler.
   */
  async handlerEnded(): Promise<AttemptResult | undefined> {
    if (this.earlyEnd === undefined) {
      this.hasHandlerEnded = true;
      if (this.busy > 0) {
        await new Promise<void>((resolve) => (this.whenIdle = resolve));
      }
    }
    return this.earlyEnd;
  }

  /**
   * The handler has returned. In a test that runs it again after each step, it must have called all stored steps.
   *
   * @throws UnrepeatedStepError
   */
  assertRepeated(): void {
    const step = this.dependencies.endsAfterEachStep ? this.rows.findUnused(this.used) : undefined;
    if (step !== undefined) {
      throw new UnrepeatedStepError(step);
    }
  }

  private async begin<T>({ method, kind, name, beforeReturn = false, body }: DurableCall<T>): Promise<T> {
    if (this.earlyEnd !== undefined) {
      return this.suspend();
    }
    if (this.hasHandlerEnded) {
      throw new RunEndedError(`job.${method}`, 'handler');
    }
    assertOutsideStep(method, this);
    assertStepsAvailable(this.dependencies.engine.dialect, `job.${method}`);
    this.assertNotAborted();
    if (kind && name) {
      const used = name();
      if (this.used.has(keyOf(kind, used))) {
        throw new DuplicateStepError(used);
      }
      this.used.add(keyOf(kind, used));
    }
    if (this.mustReturn() && !beforeReturn) {
      return this.suspend();
    }
    if (this.context.job.attempt > 1) {
      this.loading ??= this.busyWhile(() => this.load());
      await this.loading;
    }
    const ended = body();
    if (!this.dependencies.endsAfterEachStep) {
      return ended;
    }
    await ended.catch(() => undefined);
    return this.mustReturn() ? this.suspend() : ended;
  }

  private async load(): Promise<void> {
    const { steps, now } = await this.dependencies.recorder.load(this.context.job, this.assertNotAborted);
    if (steps.length > 0) {
      this.clockAhead = now - performance.now();
    }
    this.rows.load(steps);
  }

  /** Ends the run if its handler waits, and nothing is in progress. */
  private check(): void {
    if (this.busy > 0) {
      return;
    }
    this.whenIdle?.();
    if (this.mayEnd() && !this.isCheckScheduled) {
      this.isCheckScheduled = true;
      // The handler may go on in this turn of the event loop.
      setImmediate(() => {
        this.isCheckScheduled = false;
        if (this.busy === 0 && this.mayEnd()) {
          this.endEarly();
        }
      });
    }
  }

  private mayEnd(): boolean {
    const waits = this.isReturning || !this.waits.isEmpty;
    return waits && this.answers.isEmpty && !this.hasHandlerEnded && this.earlyEnd === undefined;
  }

  private endEarly(): void {
    const { attempt, job, outcomeOfAbort } = this.context;
    const outcome =
      attempt.abortReason !== undefined
        ? outcomeOfAbort()
        : this.isReturning
          ? RETURNED
          : this.waits.toOutcome(job, () => this.rows.nextSeq(), performance.now() + this.clockAhead);
    this.earlyEnd = outcome;
    attempt.endEarly(outcome);
  }
}
