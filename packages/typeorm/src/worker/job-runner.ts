import { setTimeout as sleep } from 'node:timers/promises';

import type { QueryRunner } from 'typeorm';

import { decodePayload } from '../definition/payload-codec.js';
import {
  InvalidOptionError,
  InvalidPayloadError,
  JobCancelledError,
  JobTimeoutError,
  PoisonJobError,
  SnoozeJobError,
  UnrecoverableJobError,
} from '../errors/index.js';
import type { Dialect } from '../engine/dialect.js';
import type { Engine } from '../engine/engine.js';
import type { Operation } from '../engine/operation.js';
import { type QueueLogger, logError } from '../logger.js';
import { exponential } from '../retry/backoff.js';
import type { RetryPolicy } from '../retry/retry-policy.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import { dropJobs } from '../store/drop-jobs.js';
import { finishJobs } from '../store/finish-jobs.js';
import type { Finished } from '../store/finish-with-keys.js';
import { errorText, toError } from './error-text.js';
import type { JobHandler } from './job-handler.js';
import type { JobRun } from './job-run.js';
import type { RunOutcome, SucceededOutcome } from './outcome.js';

/**
 * How long a job without a handler is left alone, by how often that happened: it costs a claim each time, but a newer
 * process that knows it should not have to wait long either.
 */
const unhandledWait = exponential({ from: '5s', max: '5m' });
/** What a job waits whose own back-off function fails. */
const fallbackBackoff = exponential({ from: '2s', max: '10m' });

const DONE: SucceededOutcome = { kind: 'succeeded', keep: 'none' };

/** How long a transactional handler's end waits for its unique key before it looks again, in ms. */
const FIRST_BUSY_PAUSE = 10;
const LONGEST_BUSY_PAUSE = 250;

/**
 * Stands at the beginning of a transactional handler's transaction. When it is gone, so is the transaction: a deadlock
 * ends it, DDL commits it, and what follows would be committed statement by statement. A handler may have caught that.
 */
const BEGINNING = 'tablequeue_beginning';

/** Runs one job from its stored form to its outcome. Never throws: whatever goes wrong is an outcome. */
export class JobRunner {
  /**
   * @param application the engine on the application's connections, for transactional handlers.
   * @param largestResult the largest result that is kept, in bytes of JSON.
   */
  constructor(
    private readonly handlers: ReadonlyMap<string, JobHandler>,
    private readonly application: Engine,
    private readonly largestResult: number,
    private readonly logger: QueueLogger,
  ) {}

  /** Whether one more crash makes it a poison job. A policy that allows one only leaves nothing to be careful about. */
  isLastChance({ crashes, name }: ClaimedJob): boolean {
    return crashes > 0 && crashes + 1 === this.handlers.get(name)?.definition.retry.crashes;
  }

  run(job: ClaimedJob, run: JobRun): Promise<RunOutcome> {
    const handler = this.handlers.get(job.name);
    if (!handler) {
      return Promise.resolve({ kind: 'unhandled', delay: unhandledWait(job.attempt) });
    }
    const { retry, timeout } = handler.definition;
    if (job.crashes >= retry.crashes) {
      const error = new PoisonJobError(job.crashes);
      return Promise.resolve({ kind: 'failed', error, text: errorText(error) });
    }
    const attempt = this.attempt(handler, job, run);
    return timeout === undefined ? attempt : this.within(timeout, attempt, retry, job, run);
  }

  /**
   * The outcome of an attempt, or that it took too long. Where somebody else has aborted the run before, and the handler
   * has not cared, that is why it ends.
   */
  private async within(
    timeout: number,
    attempt: Promise<RunOutcome>,
    retry: RetryPolicy,
    job: ClaimedJob,
    run: JobRun,
  ): Promise<RunOutcome> {
    let timer: NodeJS.Timeout | undefined;
    const timeIsUp = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, timeout, 'late');
    });
    const first = await Promise.race([attempt, timeIsUp]);
    clearTimeout(timer);
    if (first !== 'late') {
      return first;
    }
    const error = new JobTimeoutError(timeout);
    const outcome = this.afterError(job, retry, error, run);
    run.timeOut(error, attempt);
    return outcome;
  }

  private async attempt(handler: JobHandler, job: ClaimedJob, run: JobRun): Promise<RunOutcome> {
    try {
      const decoded = decodePayload(handler.definition, job.payload);
      const payload = isThenable(decoded) ? await decoded : decoded;
      if (handler.isTransactional) {
        return await this.runInTransaction(handler, payload, job, run);
      }
      const result = handler.handle(payload, run);
      return this.afterSuccess(handler, job, isThenable(result) ? await result : result);
    } catch (thrown) {
      return this.afterError(job, handler.definition.retry, toError(thrown), run);
    }
  }

  /**
   * The job is ended last, under its fence, so its row is locked for the length of the commit only. Where the process
   * dies before that, nothing has happened; a run whose job was taken over finds nothing to end and is rolled back.
   */
  private async runInTransaction(
    handler: JobHandler,
    payload: unknown,
    job: ClaimedJob,
    run: JobRun,
  ): Promise<RunOutcome> {
    const end = await this.application.transact(async (queryRunner) => {
      assertNotAborted(run);
      run.manager = queryRunner.manager;
      await queryRunner.query(`SAVEPOINT ${BEGINNING}`);
      const outcome = this.afterSuccess(handler, job, await handler.handle(payload, run));
      await queryRunner.query(`RELEASE SAVEPOINT ${BEGINNING}`);
      return this.finishOn(queryRunner, job, run, outcome);
    });
    if (typeof end === 'string') {
      return { kind: 'committed', isOurs: end === 'committed' };
    }
    const { keep, retry } = handler.definition;
    return { kind: 'in doubt', keep, otherwise: this.afterError(job, retry, toError(end.unknown), run) };
  }

  /** @returns whether the job was still this worker's. */
  private async finishOn(
    queryRunner: QueryRunner,
    job: ClaimedJob,
    run: JobRun,
    outcome: SucceededOutcome,
  ): Promise<boolean> {
    const finish = (dialect: Dialect): Operation<Finished<unknown>> =>
      outcome.keep === 'none'
        ? dropJobs(dialect, [job], () => false, 'wait')
        : finishJobs(
            dialect,
            [{ job, state: 'succeeded', result: outcome.result, error: outcome.note, progress: null }],
            'wait',
          );
    for (let pause = FIRST_BUSY_PAUSE; ; pause = Math.min(pause * 2, LONGEST_BUSY_PAUSE)) {
      const { finished: ours, busy } = await this.application.executeOn(queryRunner, finish, 'finish a job');
      if (busy.length === 0) {
        return ours.length > 0;
      }
      // Its unique key is locked by a transaction of the application's.
      await sleep(pause);
      assertNotAborted(run);
    }
  }

  private afterSuccess({ definition }: JobHandler, job: ClaimedJob, result: unknown): SucceededOutcome {
    return definition.keep === 'none' ? DONE : this.afterResult(job, result);
  }

  /** The work is done, whatever is wrong with the result: running the job again would do it twice. */
  private afterResult(job: ClaimedJob, result: unknown): SucceededOutcome {
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
    if (run.abortReason instanceof JobCancelledError) {
      return { kind: 'cancelled', text: errorText(error) };
    }
    if (run.abortReason !== undefined) {
      return { kind: 'released' };
    }
    if (error instanceof SnoozeJobError) {
      return { kind: 'snoozed', delay: error.delay, hasEnded: true };
    }
    const text = errorText(error);
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

/** Nobody waits any more for a run that was cancelled, timed out or lost before its transaction could begin or end. */
function assertNotAborted({ abortReason }: JobRun): void {
  if (abortReason !== undefined) {
    throw abortReason;
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
