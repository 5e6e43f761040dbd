import { isThenable } from '../../async/thenable.js';
import type { Codecs } from '../../codec/codecs.js';
import type { AnyJobDefinition } from '../../definition/job-definition.js';
import { BatchOutcomeError, SnoozeJobError } from '../../errors/index.js';
import { toError } from '../../errors/thrown.js';
import type { ProcessedEnd } from '../../instrumentation/instrumentation.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { BatchJob } from '../handlers/job-handler.js';
import type { JobLog } from '../handlers/job-log.js';
import type { AttemptTimer } from './attempt-timer.js';
import { type Attempt, ClaimedJobInfo } from './attempt.js';
import { readPayload } from './read-payload.js';

type Outcome = 'succeeded' | 'failed';

/** A job of a call and its outcome. */
export class BatchMember {
  payload: unknown;
  private isDecoded = false;
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
  async decode(codecs: Codecs, definition: AnyJobDefinition): Promise<void> {
    if (this.isDecoded) {
      return;
    }
    this.isDecoded = true;
    try {
      const decoded = readPayload(codecs, definition, this.job);
      this.payload = isThenable(decoded) ? await untilAborted(decoded, this.attempt) : decoded;
      // The decoding of other payloads, and the wait for other jobs, do not count towards its timeout.
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
export class CalledJob extends ClaimedJobInfo implements BatchJob<unknown> {
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

  get log(): JobLog {
    return this.#attempt.log;
  }
}
