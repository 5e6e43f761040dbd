import { LeaseLostError, RunEndedError, UnknownCodecError } from '../../errors/index.js';
import { assertStepsAvailable } from '../../store/base/steps/assert-steps-available.js';
import { markDurable } from '../../store/base/steps/jobs-with-steps.js';
import { type AttemptResult, RETURNED } from '../completing/outcome.js';
import { unknownCodecOutcome } from '../running/unhandled-jobs.js';
import { AnswerQueue } from './answer-queue.js';
import { assertOutsideStep } from './current-step.js';
import { CursorOrder } from './cursor-order.js';
import type { DurableCall } from './durable-call.js';
import type { DurableDependencies, RunContext } from './durable-dependencies.js';
import { type OpenWait, OpenWaits } from './open-waits.js';
import { type RowFields, RunRows } from './run-rows.js';
import type { AssertMayWait, StepRecorder } from './step-recorder.js';
import { UsedNames } from './used-names.js';
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
  private readonly used = new UsedNames();
  private readonly waits = new OpenWaits();
  /** Gives results to the handler, in the order of their numbers. */
  readonly answers = new AnswerQueue(() => this.check());
  private loading: Promise<void> | undefined;
  /** How many steps and statements are in progress. */
  private busy = 0;
  private isReturning = false;
  private isCheckScheduled = false;
  private hasHandlerEnded = false;
  private earlyEnd: AttemptResult | undefined;
  /** The outcome of a run that must end because it cannot read a stored value. */
  private unreadable: AttemptResult | undefined;
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
    return this.isReturning || this.unreadable !== undefined;
  }

  /** The number of the next row. Answers with higher numbers wait until it is given or released. */
  reserveSeq(): number {
    const seq = this.rows.nextSeq();
    this.answers.reserve(seq);
    return seq;
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
   * @returns its number, which is reserved: see `answers`.
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
      this.answers.release(seq);
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

  /** In a test that runs the handler again after each step, it calls all stored steps. @throws UnrepeatedStepError */
  assertRepeated(): void {
    if (this.dependencies.endsAfterEachStep) {
      this.used.assertAllOf(this.rows);
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
      this.used.add(kind, name());
    }
    if (this.mustReturn() && !beforeReturn) {
      return this.suspend();
    }
    if (this.context.job.attempt > 1) {
      this.loading ??= this.busyWhile(() => this.load());
      await this.loading;
    }
    const ended = this.orLeave(body());
    if (!this.dependencies.endsAfterEachStep) {
      return ended;
    }
    await ended.catch(() => undefined);
    return this.mustReturn() ? this.suspend() : ended;
  }

  /** The job is left to other processes if this one does not have the codec of a stored value. */
  private async orLeave<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof UnknownCodecError)) {
        throw error;
      }
      this.unreadable = unknownCodecOutcome(this.context.job, error.codec, true);
      return this.suspend();
    }
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
    const waits = this.isReturning || this.unreadable !== undefined || !this.waits.isEmpty;
    return waits && this.answers.isEmpty && !this.hasHandlerEnded && this.earlyEnd === undefined;
  }

  private endEarly(): void {
    const { attempt, job, outcomeOfAbort } = this.context;
    const outcome =
      attempt.abortReason !== undefined
        ? outcomeOfAbort()
        : this.isReturning
          ? RETURNED
          : (this.unreadable ??
            this.waits.toOutcome(job, () => this.rows.nextSeq(), performance.now() + this.clockAhead));
    this.earlyEnd = outcome;
    attempt.endEarly(outcome);
  }
}
