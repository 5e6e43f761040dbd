import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { EntityManager } from 'typeorm';

import type { AnySignalDefinition, SignalDefinition } from '../../definition/signal-definition.js';
import type { Duration } from '../../duration.js';
import type { RetryOptions } from '../../retry/retry-policy.js';
import type { ChildJob, ChildOutcome } from './children.js';
import type { JobContext } from './job-context.js';
import type { Stored } from './stored.js';

/** The context of a step. */
export interface StepContext {
  /** The id of the job and the name of the step, `<job id>:<name>`: an idempotency key for other systems. */
  readonly id: string;
  /** How often the step has failed in a row before this try. */
  readonly failures: number;
  /** Aborted when the step should end: see `JobContext.signal`. After the `timeout` of the step too. */
  readonly signal: AbortSignal;
  /** The last cursor that the step has stored; undefined before the first one. */
  readonly cursor: unknown;
  /**
   * Stores a cursor: any JSON value from which the next try goes on.
   *
   * With `write`, the cursor and the rows that `write` stores with its manager are committed together, so each chunk of
   * a loop takes effect exactly once. When the worker stops, the step ends here and goes on in another process.
   *
   * @throws LeaseLostError when another worker has taken the job over.
   */
  readonly checkpoint: (cursor: unknown, write?: (manager: EntityManager) => unknown) => Promise<void>;
}

/** Options of `job.step`. */
export interface StepOptions {
  /** When the step is retried, and how often, counted for this step alone. Default: `retry` of the definition. */
  readonly retry?: Pick<RetryOptions, 'attempts' | 'backoff'>;
  /** How long one try may take: 1 ms to 24 days. Then it has failed with a `StepTimeoutError`. Default: no limit. */
  readonly timeout?: Duration;
  /** A Standard Schema for the stored result, checked each time it is read. Default: no check. */
  readonly schema?: StandardSchemaV1;
}

/** A signal that a wait has received. */
export interface Signal<Data> {
  /** The data that was sent with it; undefined for none. */
  readonly data: Data;
  /** When it was sent, by the database's clock. */
  readonly sentAt: Date;
}

/** Signals by the names that `waitForAny` reports. */
export type AnySignals = Readonly<Record<string, string | AnySignalDefinition>>;

/** The signal that `waitForAny` has received, with its name in the call. */
export type AnySignal<Signals extends AnySignals> = {
  [Name in keyof Signals]: {
    readonly name: Name;
  } & Signal<Signals[Name] extends SignalDefinition<infer Data> ? Data : unknown>;
}[keyof Signals];

/** Options of a wait. */
export interface DurableWaitOptions {
  /** The name of the wait: 1 to 191 characters. Default: that of the signal, then `name#2`, `name#3`, … */
  readonly name?: string;
  /** How long to wait: 0 ms to 100 years, or until a time. Default: no limit. */
  readonly timeout?: Duration | Date;
}

/**
 * The job of a handler's call, with durable steps and waits.
 *
 * A step is stored when it has ended. After a crash, a retry, a wait or a deployment the handler runs from its
 * beginning again, and stored steps return their results without running. While a job waits it holds no slot, no
 * connection and no memory. Code between the steps runs again each time.
 *
 * At a wait the promise of the call neither resolves nor rejects, and no `catch` or `finally` of the handler runs. So
 * hold nothing across a wait: no query runner, no file.
 *
 * Each call rejects with the reason of `signal` after it was aborted. After the end of the handler it rejects with a
 * `RunEndedError`, inside a step with a `NestedStepError`, and on servers without SKIP LOCKED with a
 * `StepsUnavailableError`.
 */
export interface DurableJobContext extends JobContext {
  /**
   * Runs a step once and stores its result; later runs of the job get the stored result. It runs again if the
   * process dies before the result is stored, so give `step.id` to other systems as an idempotency key.
   *
   * A step that throws is retried alone, while the job waits. When no try is left, it rejects with a `StepFailedError`.
   *
   * @example
   * const payment = await job.step('pay', (step) => payments.pay(order, { idempotencyKey: step.id }));
   *
   * @param name 1 to 191 characters, once in each run. A changed meaning needs a new name: `pay@2`.
   * @returns the result as JSON stores it: a `Date` becomes a text.
   * @throws StepFailedError, DuplicateStepError, StepResultError, StepLimitError, InvalidNameError, InvalidOptionError
   */
  readonly step: {
    /**
     * Runs a step in a transaction of the queue's data source that also stores its result: what it writes with
     * `manager` takes effect exactly once.
     */
    <T>(
      name: string,
      run: (manager: EntityManager, step: StepContext) => T | PromiseLike<T>,
      options: StepOptions & { readonly transactional: true },
    ): Promise<Stored<T>>;
    <T>(name: string, run: (step: StepContext) => T | PromiseLike<T>, options?: StepOptions): Promise<Stored<T>>;
  };
  /**
   * Waits for a duration, or until a time, by the database's clock.
   *
   * @param options `name`: 1 to 191 characters. Default: `sleep`, then `sleep#2`, `sleep#3`, …
   * @throws InvalidOptionError, DuplicateStepError for a second sleep without a name at the same time
   */
  readonly sleep: (wait: Duration | Date, options?: { readonly name?: string }) => Promise<void>;
  /**
   * Waits for a signal to this job: see `TableQueue.signal`. Signals that were sent earlier are kept until a wait takes
   * them, the oldest first.
   *
   * @returns undefined if the timeout is over first.
   * @throws InvalidOptionError, InvalidNameError, DuplicateStepError for a second wait without a name at the same time
   */
  readonly waitForSignal: {
    <Data = unknown>(
      signal: string | SignalDefinition<Data>,
      options: DurableWaitOptions & { readonly timeout: Duration | Date },
    ): Promise<Signal<Data> | undefined>;
    <Data = unknown>(
      signal: string | SignalDefinition<Data>,
      options?: Pick<DurableWaitOptions, 'name'>,
    ): Promise<Signal<Data>>;
  };
  /**
   * Waits for the first of several signals.
   *
   * @example
   * const answer = await job.waitForAny({ yes: approved, no: rejected }, { timeout: '3d' });
   * if (answer?.name === 'yes') { … }
   *
   * @param signals 1 to 100 signals.
   * @returns undefined if the timeout is over first.
   * @throws the errors of `waitForSignal`
   */
  readonly waitForAny: <const Signals extends AnySignals>(
    signals: Signals,
    options?: DurableWaitOptions,
  ) => Promise<AnySignal<Signals> | undefined>;
  /**
   * Starts a child, a job of any queue, and waits for its result. The child runs at least once, as all jobs do. The
   * wait is stored, so it is started once. It ends with this job: if this job ends first, the child is cancelled.
   *
   * @example
   * const label = await job.run<string>('label', child(printLabel, { orderId }));
   *
   * @param name 1 to 191 characters, once in each run.
   * @returns the result of its handler; undefined if its definition has `keep: 'none'`.
   * @throws ChildFailedError, ChildCancelledError; StepFailedError if its result is longer than `maxPayloadBytes`
   * @throws InvalidOptionError for a definition whose jobs are unique, and the errors of `TableQueue.enqueue`
   */
  readonly run: <Result = unknown>(name: string, child: ChildJob) => Promise<Result>;
  /**
   * Starts several children and waits until all have ended. The first run fixes which ones.
   *
   * @example
   * const labels = await job.runAll<string>('labels', order.items.map((item) => child(printLabel, item)));
   *
   * @param name 1 to 191 characters, once in each run.
   * @param options `outcomes`: returns the outcome of each child, and rejects for none. Default: false.
   * @returns the results in the order of the children, together at most `maxPayloadBytes`.
   * @throws the errors of `run`, for the first child that has not succeeded
   */
  readonly runAll: {
    <Result = unknown>(
      name: string,
      children: readonly ChildJob[],
      options: { readonly outcomes: true },
    ): Promise<ChildOutcome<Result>[]>;
    <Result = unknown>(
      name: string,
      children: readonly ChildJob[],
      options?: { readonly outcomes?: false },
    ): Promise<Result[]>;
  };
  /** The last cursor that `checkpoint` has stored for the handler; undefined before the first one. */
  readonly cursor: <Cursor = unknown>() => Promise<Cursor | undefined>;
  /**
   * Stores a cursor of the handler: any JSON value from which the next attempt goes on.
   *
   * @throws LeaseLostError when another worker has taken the job over.
   */
  readonly checkpoint: (cursor: unknown) => Promise<void>;
  /** Whether a step is stored as done: for code that has changed since a job started. */
  readonly hasStep: (name: string) => Promise<boolean>;
}
