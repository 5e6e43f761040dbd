import type { Allowance } from '../faults/fault.js';
import type { InjectedFault } from '../faults/injected-faults.js';
import type { AttemptOutcome } from '../journal/journal-entry.js';
import { unkeptJob } from '../workload/definitions.js';
import type { GatheredEvidence, HandlerCall, JobEvidence, ReportedOutcome } from './gathered-evidence.js';

/** The outcomes of an attempt that still owned its job when its handler ended. */
const ACCEPTED: ReadonlySet<AttemptOutcome> = new Set(['succeeded', 'failed', 'retried', 'snoozed', 'parked']);

/** Returns whether the outcome of a call is stored. The worker that made the call may have died before its report. */
function wasAccepted({ outcomes, final, calls }: JobEvidence, call: HandlerCall): boolean {
  const { attempt, process, returned, from } = call;
  // After a lost claim the same worker can run an attempt of the same number again.
  const again = calls.find((each) => each.attempt === attempt && each.process === process && each.from > from);
  const isOfCall = ({ at }: ReportedOutcome) => at >= from && at < (again?.from ?? Infinity);
  return (
    outcomes.some(
      (each) => each.attempt === attempt && each.process === process && ACCEPTED.has(each.outcome) && isOfCall(each),
    ) ||
    (returned &&
      final?.state === 'succeeded' &&
      final.attempt === attempt &&
      // After a lost claim two attempts can have the same number.
      calls.filter((each) => each.attempt === attempt).length === 1)
  );
}

/** Differences of times in the database that are longer may be of a wrong clock, in ms. Jobs wait for less. */
const CLOCK_ERROR = 1_800_000;

/** The evidence of a run, with the questions that several invariants ask. */
export class Evidence {
  readonly all: GatheredEvidence;
  /** The jobs by the tokens in their payloads. */
  readonly byToken: ReadonlyMap<string, JobEvidence>;

  constructor(all: GatheredEvidence) {
    this.all = all;
    const jobs = [...all.jobs].filter(([, job]) => !this.isLost(job));
    this.all = { ...all, jobs: new Map(jobs) };
    this.byToken = new Map(jobs.map(([, job]) => [job.token, job] as const));
  }

  /** Returns whether the server may have lost a commit that it confirmed just before a time. */
  mayBeLost(at: number): boolean {
    return this.faultThatAllows('loss', undefined, at, at) !== undefined;
  }

  /** Returns whether the server's clock explains a difference of times in the database, in ms. */
  isOfClock(difference: number): boolean {
    return Math.abs(difference) > CLOCK_ERROR && this.all.faults.some(({ allows }) => allows.includes('clock'));
  }

  /** Returns whether only the records of workers know a job, because the server has lost the commit of its enqueue. */
  private isLost({ kind, live, final, calls }: JobEvidence): boolean {
    return !live && !final && kind !== unkeptJob.name && calls.some(({ from }) => this.mayBeLost(from));
  }

  /**
   * Returns a fault that explains an event between two times.
   *
   * @param process the process in which the event happened; undefined if that is unknown.
   */
  faultThatAllows(kind: Allowance, process: string | undefined, from: number, to: number): InjectedFault | undefined {
    return this.all.faults.find(
      (fault) =>
        fault.allows.includes(kind) &&
        fault.from <= to &&
        fault.to + this.aftermathMs >= from &&
        (process === undefined || fault.target === 'everyone' || fault.target.includes(process) || this.all.hasOneLock),
    );
  }

  /**
   * How long a fault has consequences after its end, in ms. A worker that was cut off counts as dead when its lease
   * ends, and the reaper finds it after that.
   */
  get aftermathMs(): number {
    return 2 * this.all.lease;
  }

  /**
   * Returns whether a job may have been stored again under its id. An enqueue without an answer is repeated. If the
   * job is not kept, and it has run by then, the queue cannot detect the repetition.
   */
  mayBeStoredTwice({ kind, token }: JobEvidence): boolean {
    const enqueue = this.all.enqueues.get(token);
    return (
      kind === unkeptJob.name &&
      enqueue !== undefined &&
      enqueue.transaction === undefined &&
      this.faultThatAllows('delay', enqueue.process, enqueue.from, enqueue.to ?? Infinity) !== undefined
    );
  }

  /**
   * Returns until when a call certainly owned its job. If its outcome was accepted, that is the end of the call,
   * whatever fault occurred meanwhile, unless a later attempt began before: the server has lost its claim then.
   * Otherwise it is the first moment at which a fault or another process may have taken the job.
   */
  certainEndOf(job: JobEvidence, call: HandlerCall): number {
    const next = job.calls.find(({ attempt }) => attempt > call.attempt);
    if (call.to !== undefined && wasAccepted(job, call)) {
      return Math.min(call.to, next?.from ?? Infinity);
    }
    const fault = this.faultThatAllows('rerun', call.process, call.from, call.to ?? Infinity);
    return Math.min(call.to ?? call.from, next?.from ?? Infinity, fault ? Math.max(fault.from, call.from) : Infinity);
  }
}
