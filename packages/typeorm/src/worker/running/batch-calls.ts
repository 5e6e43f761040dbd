import type { AnyJobDefinition } from '../../definition/job-definition.js';
import { decodePayload } from '../../definition/payload-codec.js';
import { BatchOutcomeError, SnoozeJobError } from '../../errors/index.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { isThenable } from '../../async/thenable.js';
import type { Instrumentation, ProcessedEnd } from '../../instrumentation/instrumentation.js';
import type { AttemptTimer } from './attempt-timer.js';
import { toError } from '../../errors/thrown.js';
import { observeBatch } from './instrumented-calls.js';
import type { BatchJob, BatchJobHandler } from '../handlers/job-handler.js';
import { type Attempt, ClaimedJobInfo } from './attempt.js';

/**
 * The calls of a batch handler. A call gets all jobs that start in one tick, as the jobs of one claim do. See decision
 * 0065.
 */
export class BatchCalls {
  /** The members of the call that is about to be made. */
  private nextCall: BatchMember[] | undefined;

  constructor(
    private readonly handler: BatchJobHandler,
    private readonly instrumentation: Instrumentation | undefined,
  ) {}

  /**
   * Adds a job to the next call.
   *
   * @param isAlone whether the job must have a call of its own.
   * @returns the result of the job.
   * @throws the error of the job.
   */
  addJob(job: ClaimedJob, attempt: Attempt, timer: AttemptTimer | undefined, isAlone: boolean): Promise<unknown> {
    const members = isAlone ? this.scheduleCall() : this.joinableCall();
    return new Promise((resolve, reject) => members.push(new BatchMember(job, attempt, timer, resolve, reject)));
  }

  private joinableCall(): BatchMember[] {
    if (this.nextCall === undefined || this.nextCall.length === this.handler.batchSize) {
      this.nextCall = this.scheduleCall();
    }
    return this.nextCall;
  }

  /** Each call has a tick of its own, for the reason each job has one: see `JobPool.startJob`. */
  private scheduleCall(): BatchMember[] {
    const members: BatchMember[] = [];
    setImmediate(() => {
      if (this.nextCall === members) {
        this.nextCall = undefined;
      }
      void this.run(members);
    });
    return members;
  }

  /** Never rejects. */
  private async run(all: readonly BatchMember[]): Promise<void> {
    await Promise.all(all.map((member) => member.decode(this.handler.definition)));
    const members = all.filter((member) => member.isCallable());
    if (members.length > 0) {
      members.forEach(({ timer }) => timer?.start());
      const end = this.instrumentation
        ? observeBatch(this.instrumentation, members, () =>
            this.callHandler(members).then(() => members.map((member) => member.processedEnd)),
          )
        : this.callHandler(members);
      // In time: the outcomes that the handler reported synchronously have not been handled yet.
      members.forEach(({ attempt }) => attempt.joinBatchCall(end));
    }
  }

  private async callHandler(members: readonly BatchMember[]): Promise<void> {
    try {
      await this.handler.handle(members.map((member) => new CalledJob(member)));
      members.forEach((member) => member.finish('succeeded', undefined));
    } catch (error) {
      members.forEach((member) => member.finish('failed', error));
    }
  }
}

type Outcome = 'succeeded' | 'failed';

/** A job of a call and its outcome. */
class BatchMember {
  payload: unknown;
  private outcome: Outcome | undefined;
  private error: unknown;

  constructor(
    readonly job: ClaimedJob,
    readonly attempt: Attempt,
    readonly timer: AttemptTimer | undefined,
    private readonly succeed: (result: unknown) => void,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** The outcome for the instrumentation. */
  get processedEnd(): ProcessedEnd {
    const error = this.outcome === 'failed' ? toError(this.error) : undefined;
    return { id: this.attempt.id, outcome: undefined, error: error instanceof SnoozeJobError ? undefined : error };
  }

  /** Never rejects. A job with an invalid payload fails. Aborting an attempt ends only its own wait. */
  async decode(definition: AnyJobDefinition): Promise<void> {
    try {
      const decoded = decodePayload(definition, this.job.payload, this.job.payloadVersion);
      this.payload = isThenable(decoded) ? await untilAborted(decoded, this.attempt) : decoded;
      // The decoding of other payloads does not count towards its timeout.
      this.timer?.stop();
    } catch (error) {
      this.finish('failed', error);
    }
  }

  /** Whether the handler may get the job: it has no outcome and was not aborted. */
  isCallable(): boolean {
    if (this.attempt.abortReason !== undefined) {
      this.finish('failed', this.attempt.abortReason);
    }
    return this.outcome === undefined;
  }

  /** The handler reports an outcome. */
  setOutcome(outcome: Outcome, value: unknown): void {
    if (this.outcome !== undefined) {
      throw new BatchOutcomeError(this.attempt.id, this.outcome);
    }
    this.finish(outcome, value);
  }

  /** The first outcome counts. */
  finish(outcome: Outcome, value: unknown): void {
    if (this.outcome === undefined) {
      this.outcome = outcome;
      this.error = outcome === 'failed' ? value : undefined;
      (outcome === 'succeeded' ? this.succeed : this.fail)(value);
    }
  }
}

/** @throws the reason of the abort where that comes first. */
function untilAborted<T>(work: PromiseLike<T>, attempt: Attempt): Promise<T> {
  return new Promise((resolve, reject) => {
    attempt.onAbort(reject);
    work.then(resolve, reject);
  });
}

/** A job as the handler gets it. Its functions may be destructured. */
class CalledJob extends ClaimedJobInfo implements BatchJob<unknown> {
  readonly payload: unknown;
  readonly succeed: (result?: unknown) => void;
  readonly fail: (error: unknown) => void;
  readonly #attempt: Attempt;

  constructor(member: BatchMember) {
    super(member.job);
    this.payload = member.payload;
    this.succeed = (result) => member.setOutcome('succeeded', result);
    this.fail = (error) => member.setOutcome('failed', error);
    this.#attempt = member.attempt;
  }

  get createdAt(): Date {
    return this.#attempt.createdAt;
  }

  get runAt(): Date {
    return this.#attempt.runAt;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get progress(): (value: unknown) => void {
    return this.#attempt.progress;
  }
}
