import type { EntityManager } from 'typeorm';

import { isThenable } from '../../async/thenable.js';
import { uuidFromBytes } from '../../definition/job-id.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { ReportedJob } from '../../store/base/jobs/reported-job.js';
import type { AttemptResult } from '../completing/outcome.js';
import { RunEndedError, StepsUnavailableError } from '../../errors/index.js';
import * as calls from '../durable/durable-calls.js';
import type { DurableRun } from '../durable/durable-run.js';
import type { DurableJobContext } from '../handlers/durable-context.js';
import type { JobInfo } from '../handlers/job-context.js';
import type { JobLog } from '../handlers/job-log.js';
import type { AttemptTimer } from './attempt-timer.js';

/** A claimed job as handlers and events see it. */
export class ClaimedJobInfo implements JobInfo {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
  readonly attempt: number;
  readonly failures: number;

  constructor(job: ReportedJob) {
    this.id = uuidFromBytes(job.id);
    this.name = job.name;
    this.queue = job.queue;
    this.key = job.key ?? undefined;
    this.tenant = job.tenant ?? undefined;
    this.attempt = job.attempt;
    this.failures = job.failures;
  }
}

/** The end of a run before its handler: its outcome, and who waits for it. */
interface EarlyEnd {
  outcome: AttemptResult | undefined;
  readonly listeners: ((outcome: AttemptResult) => void)[];
}

/** What an attempt needs from the job that runs. */
export interface AttemptHost {
  onProgress(value: unknown): void;
  /** Makes the log of the attempt. */
  openLog(): JobLog;
  /** Makes the durable run of the attempt. */
  startDurableRun(): DurableRun;
  /** The run ends before its handler. */
  endEarly(outcome: AttemptResult): void;
}

/** One attempt of a job, as its handler and the events see it. */
export class Attempt extends ClaimedJobInfo implements DurableJobContext {
  /** The manager of a transactional handler's transaction. */
  manager: EntityManager | undefined;
  readonly #job: ClaimedJob;
  /** Measures the timeout of the definition. Not defined without one: most attempts have none. */
  declare timer?: AttemptTimer;
  readonly #host: AttemptHost;
  #log: JobLog | undefined;
  #durableRun: DurableRun | 'ended' | undefined;
  #earlyEnd: EarlyEnd | undefined;
  #controller: AbortController | undefined;
  #handlerEnd: Promise<AttemptResult> | undefined;
  #batchCall: Promise<void> | undefined;
  #onAbort: ((reason: unknown) => void) | undefined;

  constructor(job: ClaimedJob, host: AttemptHost) {
    super(job);
    this.#job = job;
    this.#host = host;
  }

  get createdAt(): Date {
    return new Date(this.#job.createdAt);
  }

  get runAt(): Date {
    return new Date(this.#job.runAt);
  }

  /** A function of its own, so that a handler may destructure its context. */
  get progress(): (value: unknown) => void {
    return (value) => this.#host.onProgress(value);
  }

  /** Made on first use. */
  get log(): JobLog {
    return (this.#log ??= this.#host.openLog());
  }

  /** Made on first use: most handlers never use it, and it is the most expensive part of an attempt. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  get step(): DurableJobContext['step'] {
    const step = (...args: [string, never, object?]) => this.#call('step', (run) => calls.step(run, ...args));
    return step as DurableJobContext['step'];
  }

  get sleep(): DurableJobContext['sleep'] {
    return (...args) => this.#call('sleep', (run) => calls.sleep(run, ...args));
  }

  get waitForSignal(): DurableJobContext['waitForSignal'] {
    const wait = (...args: [string, object?]) =>
      this.#call('waitForSignal', (run) => calls.waitForSignal(run, ...args));
    return wait as DurableJobContext['waitForSignal'];
  }

  get waitForAny(): DurableJobContext['waitForAny'] {
    const wait = (...args: [never, object?]) => this.#call('waitForAny', (run) => calls.waitForAny(run, ...args));
    return wait as DurableJobContext['waitForAny'];
  }

  get run(): DurableJobContext['run'] {
    return (name, child) => this.#call('run', (durable) => calls.run(durable, name, child)) as Promise<never>;
  }

  get runAll(): DurableJobContext['runAll'] {
    const runAll = (...args: [string, never, object?]) =>
      this.#call('runAll', (durable) => calls.runAll(durable, ...args));
    return runAll as DurableJobContext['runAll'];
  }

  get cursor(): DurableJobContext['cursor'] {
    return (() => this.#call('cursor', calls.cursor)) as DurableJobContext['cursor'];
  }

  get checkpoint(): DurableJobContext['checkpoint'] {
    return (value) => this.#call('checkpoint', (run) => calls.checkpoint(run, value));
  }

  get hasStep(): DurableJobContext['hasStep'] {
    return (name) => this.#call('hasStep', (run) => calls.hasStep(run, name));
  }

  /** Whether the handler has used its log. */
  get hasLog(): boolean {
    return this.#log !== undefined;
  }

  /** The durable run; undefined before the first durable call, and if the handler has ended without one. */
  get durableRun(): DurableRun | undefined {
    return this.#durableRun === 'ended' ? undefined : this.#durableRun;
  }

  /** The handler has ended: later durable calls are refused. @returns the end of the durable run, if there is one. */
  handlerEnded(): Promise<AttemptResult | undefined> | undefined {
    this.#durableRun ??= 'ended';
    return this.durableRun?.handlerEnded();
  }

  /** The run ends before its handler, whose promise may never resolve. */
  endEarly(outcome: AttemptResult): void {
    this.timer?.stop();
    this.#earlyEnd ??= { outcome, listeners: [] };
    this.#earlyEnd.outcome = outcome;
    this.#earlyEnd.listeners.forEach((listener) => listener(outcome));
    this.#host.endEarly(outcome);
  }

  /** Calls a listener if the run ends before its handler. */
  onEarlyEnd(listener: (outcome: AttemptResult) => void): void {
    this.#earlyEnd ??= { outcome: undefined, listeners: [] };
    const { outcome, listeners } = this.#earlyEnd;
    if (outcome === undefined) {
      listeners.push(listener);
    } else {
      listener(outcome);
    }
  }

  /** The result, or the outcome of a run that ends before its handler. */
  orEarlyEnd(result: AttemptResult | Promise<AttemptResult>): AttemptResult | Promise<AttemptResult> {
    if (!isThenable(result)) {
      return result;
    }
    return new Promise((resolve, reject) => {
      this.onEarlyEnd(resolve);
      result.then(resolve, reject);
    });
  }

  /** Resolves when a handler that timed out has ended; undefined where the attempt has not timed out. */
  get handlerEnd(): Promise<AttemptResult> | undefined {
    return this.#handlerEnd;
  }

  /** Resolves when the batch handler's call that has this job has ended; undefined without one. */
  get batchCall(): Promise<void> | undefined {
    return this.#batchCall;
  }

  /** Why the attempt was aborted; undefined where it was not. */
  get abortReason(): unknown {
    return this.#controller?.signal.reason;
  }

  /** The timeout is over and the handler still runs. */
  timeOut(reason: Error, handlerEnd: Promise<AttemptResult>): void {
    this.#handlerEnd = Promise.resolve(this.orEarlyEnd(handlerEnd));
    this.abort(reason);
  }

  /** Calls one listener when the attempt is aborted, or now if it was. Cheaper than `signal`. */
  onAbort(listener: (reason: unknown) => void): void {
    this.#onAbort = listener;
    if (this.abortReason !== undefined) {
      listener(this.abortReason);
    }
  }

  /** A batch handler's call has the job. @param end resolves when it has ended. */
  joinBatchCall(end: Promise<void>): void {
    this.#batchCall = end;
  }

  abort(reason: Error): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
    this.#onAbort?.(reason);
  }

  #call<T>(method: string, work: (run: DurableRun) => Promise<T>): Promise<T> {
    try {
      if (this.manager !== undefined) {
        throw new StepsUnavailableError(
          `job.${method}`,
          'the handler is transactional, and its transaction completes the job',
          'Use a handler without `transactional`, and transactional steps.',
        );
      }
      this.#durableRun ??= this.#host.startDurableRun();
      if (this.#durableRun === 'ended') {
        throw new RunEndedError(`job.${method}`, 'handler');
      }
      const result = work(this.#durableRun);
      // A branch of the handler may not await it yet.
      result.catch(() => undefined);
      return result;
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
