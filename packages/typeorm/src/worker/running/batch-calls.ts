import type { Codecs } from '../../codec/codecs.js';
import { InvalidOptionError } from '../../errors/index.js';
import type { Instrumentation } from '../../instrumentation/instrumentation.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { BatchJobHandler } from '../handlers/job-handler.js';
import type { AttemptTimer } from './attempt-timer.js';
import type { Attempt } from './attempt.js';
import { BatchMember, CalledJob } from './batch-member.js';
import { observeBatch } from './instrumented-calls.js';

/** The key of all jobs where the handler has no `by`. */
const ONE_KEY = '';

/** A call that is about to be made. */
interface OpenCall {
  readonly members: BatchMember[];
  /** Makes the call when `maxWait` is over; undefined where it is made in the next tick. */
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * The calls of a batch handler. A call gets all jobs that start in one tick, as the jobs of one claim do; with
 * `maxWait` all that start before it is over. See decision 0065.
 */
export class BatchCalls {
  /** The calls that more jobs may join, by the key of their jobs. */
  private readonly open = new Map<string, OpenCall>();
  private isStopping = false;

  constructor(
    private readonly handler: BatchJobHandler,
    private readonly codecs: Codecs,
    private readonly instrumentation: Instrumentation | undefined,
  ) {}

  get queue(): string {
    return this.handler.definition.queue;
  }

  /**
   * Adds a job to the next call.
   *
   * @param isAlone whether the job must have a call of its own.
   * @returns the result of the job.
   * @throws the error of the job.
   */
  addJob(job: ClaimedJob, attempt: Attempt, timer: AttemptTimer | undefined, isAlone: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const member = new BatchMember(job, attempt, timer, resolve, reject);
      const { maxWait, by } = this.handler.batch;
      if (isAlone) {
        this.callSoon([member]);
      } else if (maxWait === undefined && by === undefined) {
        this.join(member, ONE_KEY);
      } else {
        void this.decodeAndJoin(member);
      }
    });
  }

  /** Makes the calls that wait for more jobs. */
  callWaiting(): void {
    for (const [key, { members, timer }] of this.open) {
      if (timer) {
        clearTimeout(timer);
        this.open.delete(key);
        void this.run(members);
      }
    }
  }

  /** The worker stops: no call waits for more jobs from now on. */
  stopWaiting(): void {
    this.isStopping = true;
    this.callWaiting();
  }

  /** Never rejects. */
  private async decodeAndJoin(member: BatchMember): Promise<void> {
    await member.decode(this.codecs, this.handler.definition);
    if (!member.isCallable()) {
      return;
    }
    try {
      this.join(member, this.keyOf(member.payload));
    } catch (error) {
      member.finish('failed', error);
    }
  }

  /** @throws InvalidOptionError, and what `by` throws. */
  private keyOf(payload: unknown): string {
    const { by } = this.handler.batch;
    const key = by ? by(payload) : ONE_KEY;
    if (typeof key !== 'string') {
      throw new InvalidOptionError('batch.by', key, 'a function that returns a string');
    }
    return key;
  }

  private join(member: BatchMember, key: string): void {
    let call = this.open.get(key);
    if (call === undefined) {
      call = this.openCall(key);
      this.open.set(key, call);
    }
    const { members, timer } = call;
    members.push(member);
    if (timer) {
      // Its place is free for another job, and its slot too.
      member.attempt.onAbort((reason) => {
        if (this.open.get(key) === call) {
          members.splice(members.indexOf(member), 1);
          member.finish('failed', reason);
        }
      });
    }
    if (members.length === this.handler.batch.size) {
      this.open.delete(key);
      if (timer) {
        clearTimeout(timer);
        this.callSoon(members);
      }
    }
  }

  private openCall(key: string): OpenCall {
    const { maxWait } = this.handler.batch;
    const members: BatchMember[] = [];
    const close = () => {
      if (this.open.get(key)?.members === members) {
        this.open.delete(key);
      }
    };
    if (maxWait === undefined || this.isStopping) {
      this.callSoon(members, close);
      return { members, timer: undefined };
    }
    const timer = setTimeout(() => {
      close();
      void this.run(members);
    }, maxWait);
    return { members, timer };
  }

  /** Each call has a tick of its own, for the reason each job has one: see `JobPool.startJob`. */
  private callSoon(members: readonly BatchMember[], close?: () => void): void {
    setImmediate(() => {
      close?.();
      void this.run(members);
    });
  }

  /** Never rejects. */
  private async run(all: readonly BatchMember[]): Promise<void> {
    await Promise.all(all.map((member) => member.decode(this.codecs, this.handler.definition)));
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
