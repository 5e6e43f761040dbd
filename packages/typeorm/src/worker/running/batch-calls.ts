import type { AnyJobDefinition } from '../../definition/job-definition.js';
import { decodePayload } from '../../definition/payload-codec.js';
import { BatchOutcomeError, SnoozeJobError } from '../../errors/index.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import { isThenable } from '../../async/thenable.js';
import type { ProcessedEnd } from '../../instrumentation/instrumentation.js';
import type { AttemptTimer } from './attempt-timer.js';
import { toError } from '../completing/error-text.js';
import type { InstrumentedCalls } from './instrumented-calls.js';
import type { BatchJob, BatchJobHandler } from '../handlers/job-handler.js';
import type { Attempt } from './attempt.js';

/** Groups the jobs of a batch handler into calls: those that start in one turn of the event loop, as those of a claim do. */
export class BatchCalls {
  private filling: BatchCall | undefined;

  constructor(
    private readonly handler: BatchJobHandler,
    private readonly calls: InstrumentedCalls | undefined,
  ) {}

  /**
   * Adds a job to the next call.
   *
   * @param isAlone whether it must share its call with no other.
   * @returns what the handler says it has succeeded with.
   * @throws what it has failed with.
   */
  add(job: ClaimedJob, run: Attempt, timer: AttemptTimer | undefined, isAlone: boolean): Promise<unknown> {
    if (isAlone) {
      return this.begin().add(job, run, timer);
    }
    if (this.filling === undefined || this.filling.size === this.handler.batchSize) {
      this.filling = this.begin();
    }
    return this.filling.add(job, run, timer);
  }

  /** Each call is made in a tick of its own, for the reason each job has one: see `RunningJobs.start`. */
  private begin(): BatchCall {
    const call = new BatchCall(this.handler, this.calls);
    setImmediate(() => {
      if (this.filling === call) {
        this.filling = undefined;
      }
      void call.make();
    });
    return call;
  }
}

/** One call of a batch handler. */
class BatchCall {
  private readonly members: Member[] = [];

  constructor(
    private readonly handler: BatchJobHandler,
    private readonly calls: InstrumentedCalls | undefined,
  ) {}

  get size(): number {
    return this.members.length;
  }

  add(job: ClaimedJob, run: Attempt, timer: AttemptTimer | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => this.members.push(new Member(job, run, timer, resolve, reject)));
  }

  /** Never rejects. */
  async make(): Promise<void> {
    await Promise.all(this.members.map((member) => member.decode(this.handler.definition)));
    const members = this.members.filter((member) => member.mayBeHanded());
    if (members.length > 0) {
      members.forEach(({ timer }) => timer?.start());
      const end = this.calls
        ? this.calls.batch(members, () => this.hand(members).then(() => members.map((member) => member.told)))
        : this.hand(members);
      // Nothing that the handler has said in its synchronous part has been noticed yet.
      members.forEach(({ run }) => run.joinCall(end));
    }
  }

  private async hand(members: readonly Member[]): Promise<void> {
    try {
      await this.handler.handle(members.map((member) => new HandedJob(member)));
      members.forEach((member) => member.end('succeeded', undefined));
    } catch (error) {
      members.forEach((member) => member.end('failed', error));
    }
  }
}

type Outcome = 'succeeded' | 'failed';

/** A job of a call, and what has become of it. */
class Member {
  payload: unknown;
  private outcome: Outcome | undefined;
  private error: unknown;

  constructor(
    readonly job: ClaimedJob,
    readonly run: Attempt,
    readonly timer: AttemptTimer | undefined,
    private readonly succeed: (result: unknown) => void,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** What the handler has said of it. */
  get told(): ProcessedEnd {
    const hasFailed = this.outcome === 'failed' && !(this.error instanceof SnoozeJobError);
    return { id: this.run.id, outcome: undefined, error: hasFailed ? toError(this.error) : undefined };
  }

  /** Never rejects. Ends the job where its payload is not valid. A run that is aborted waits no longer: its neighbours do. */
  async decode(definition: AnyJobDefinition): Promise<void> {
    try {
      const decoded = decodePayload(definition, this.job.payload, this.job.payloadVersion);
      this.payload = isThenable(decoded) ? await untilAborted(decoded, this.run) : decoded;
      // What its neighbours still need is not charged to it.
      this.timer?.stop();
    } catch (error) {
      this.end('failed', error);
    }
  }

  /** False where the job has ended, or its run was aborted meanwhile: then it ends here. */
  mayBeHanded(): boolean {
    if (this.run.abortReason !== undefined) {
      this.end('failed', this.run.abortReason);
    }
    return this.outcome === undefined;
  }

  /** The handler says what has become of it. */
  say(outcome: Outcome, value: unknown): void {
    if (this.outcome !== undefined) {
      throw new BatchOutcomeError(this.run.id, this.outcome);
    }
    this.end(outcome, value);
  }

  /** What was said first stays. */
  end(outcome: Outcome, value: unknown): void {
    if (this.outcome === undefined) {
      this.outcome = outcome;
      this.error = outcome === 'failed' ? value : undefined;
      (outcome === 'succeeded' ? this.succeed : this.fail)(value);
    }
  }
}

/** @throws why the run was aborted where that comes first. */
function untilAborted<T>(work: PromiseLike<T>, run: Attempt): Promise<T> {
  return new Promise((resolve, reject) => {
    run.onAbort(reject);
    work.then(resolve, reject);
  });
}

/** A job as the handler gets it. Its functions may be taken out of it. */
class HandedJob implements BatchJob<unknown> {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
  readonly attempt: number;
  readonly failures: number;
  readonly payload: unknown;
  readonly succeed: (result?: unknown) => void;
  readonly fail: (error: unknown) => void;
  readonly #run: Attempt;

  constructor(member: Member) {
    const { run } = member;
    this.id = run.id;
    this.name = run.name;
    this.queue = run.queue;
    this.key = run.key;
    this.tenant = run.tenant;
    this.attempt = run.attempt;
    this.failures = run.failures;
    this.payload = member.payload;
    this.succeed = (result) => member.say('succeeded', result);
    this.fail = (error) => member.say('failed', error);
    this.#run = run;
  }

  get createdAt(): Date {
    return this.#run.createdAt;
  }

  get runAt(): Date {
    return this.#run.runAt;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get progress(): (value: unknown) => void {
    return this.#run.progress;
  }
}
