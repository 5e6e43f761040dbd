import type { LiveState, Outcome } from '@tablequeue/typeorm';

import type { Allowance } from '../faults/fault.js';
import type { InjectedFault } from '../faults/injected-faults.js';
import type { Callback, AttemptOutcome, Way } from '../journal/entries.js';
import type { EndReport } from '../processes/messages.js';
import { fleetingJob } from '../workload/definitions.js';

/** An `enqueue`, as its process has noted it. */
export interface EnqueueRecord {
  readonly token: string;
  readonly kind: string;
  readonly way: Way;
  readonly process: string;
  readonly transaction: string | undefined;
  readonly place: number | undefined;
  readonly from: number;
  /** When it returned or threw; undefined where the process did not live to see it. */
  to: number | undefined;
  /** Undefined where it is not known. */
  id: string | undefined;
  /** False where another job had its unique key. */
  created: boolean;
  error: string | undefined;
}

/** A group of jobs, as its process has noted it before it enqueued it. All are tokens. */
export interface GroupRecord {
  readonly members: readonly string[];
  readonly callbacks: Readonly<Record<Callback, string>>;
}

/** A call of a handler. */
export interface HandlerCall {
  readonly process: string;
  readonly attempt: number;
  readonly from: number;
  /** Undefined where the process did not live to note it. */
  to: number | undefined;
  returned: boolean;
}

/** What is known of one job. Times of notes are by `monotonic`. */
export interface JobEvidence {
  readonly id: string;
  readonly token: string;
  readonly kind: string;
  readonly key: string | undefined;
  /** In the order of their starts. */
  readonly calls: HandlerCall[];
  readonly settled: {
    readonly attempt: number;
    readonly how: AttemptOutcome;
    readonly process: string;
    readonly at: number;
  }[];
  /** When it was found to have been left by its worker. */
  readonly stalledAt: number[];
  live: { readonly state: LiveState; readonly attempt: number } | undefined;
  final: FinalRow | undefined;
}

/** A row of the history. Times in ms by the database's clock. */
export interface FinalRow {
  readonly state: Outcome;
  readonly attempt: number;
  readonly failures: number;
  readonly runAt: number;
  readonly claimedAt: number | null;
  readonly finishedAt: number;
}

/** A transaction of a producer. */
export interface TransactionRecord {
  /** When it was about to be begun. */
  readonly from: number;
  committingAt: number | undefined;
  committedAt: number | undefined;
  rolledBackAt: number | undefined;
  /** Where it was not meant to be rolled back. */
  error: string | undefined;
}

/** A process of the run. */
export interface ProcessEvidence {
  readonly name: string;
  readonly role: string;
  readonly report: EndReport | undefined;
  /** How it has ended, where nobody has ended it. */
  readonly ownEnd: string | undefined;
  /** Whether it was told to stop in order. */
  readonly wasFinished: boolean;
  /** Of the ports it had, those to which the server still has a connection. */
  readonly openPorts: readonly number[];
}

/** What is gathered when everything has ended. */
export interface GatheredEvidence {
  readonly jobs: ReadonlyMap<string, JobEvidence>;
  /** By token. */
  readonly enqueues: ReadonlyMap<string, EnqueueRecord>;
  readonly groups: readonly GroupRecord[];
  /** The ids of those that are not known to have finished. */
  readonly openGroups: readonly string[];
  readonly transactions: ReadonlyMap<string, TransactionRecord>;
  /** The tokens of the rows that producers have committed. */
  readonly orders: ReadonlySet<string>;
  /** The attempts that have left an effect, by token. */
  readonly effects: ReadonlyMap<string, readonly number[]>;
  /** When `cancel` had returned that it cancelled the job, by id. */
  readonly cancelled: ReadonlyMap<string, number>;
  readonly faults: readonly InjectedFault[];
  readonly processes: readonly ProcessEvidence[];
  /** What went wrong in the bench itself. */
  readonly troubles: readonly string[];
  /** In ms. */
  readonly lease: number;
  /** Whether a process that stands still may keep all others waiting, beyond their leases: SQLite has one lock for its file. */
  readonly hasOneLock: boolean;
  /** Whether the server is a node of a Galera cluster, and others may write too. */
  readonly isGalera: boolean;
}

/** What a worker is told of an attempt that was its own until behind the end of its handler. */
const ACCEPTED: ReadonlySet<AttemptOutcome> = new Set(['succeeded', 'failed', 'retried', 'snoozed']);

/** Whether the outcome of a run is written down: its worker was told so, or did not live to be told. */
function wasAccepted({ settled, final }: JobEvidence, { attempt, process, returned }: HandlerCall): boolean {
  return (
    settled.some((each) => each.attempt === attempt && each.process === process && ACCEPTED.has(each.how)) ||
    (returned && final?.state === 'succeeded' && final.attempt === attempt)
  );
}

/** All that is known, and what can be asked of it. */
export class Evidence {
  /** The jobs by what they carry. */
  readonly byToken: ReadonlyMap<string, JobEvidence>;

  constructor(readonly all: GatheredEvidence) {
    this.byToken = new Map([...all.jobs.values()].map((job) => [job.token, job] as const));
  }

  /**
   * A fault that explains what has happened in a span of time.
   *
   * @param process where it happened; undefined where that is not known.
   */
  faultThatAllows(kind: Allowance, process: string | undefined, from: number, to: number): InjectedFault | undefined {
    return this.all.faults.find(
      (fault) =>
        fault.allows.includes(kind) &&
        fault.from <= to &&
        fault.to + this.aftermath >= from &&
        (process === undefined || fault.target === 'everyone' || fault.target.includes(process) || this.all.hasOneLock),
    );
  }

  /**
   * How long a fault has consequences behind its end, in ms: a worker that it has cut off is taken for dead when its lease
   * ends, and found by the reaper after that.
   */
  get aftermath(): number {
    return 2 * this.all.lease;
  }

  /**
   * Whether a job may have been stored again under its id. Where the answer to an enqueue is lost it is repeated, and by
   * then a job of which nothing is kept may have run: nothing tells of it.
   */
  mayBeStoredTwice({ kind, token }: JobEvidence): boolean {
    const act = this.all.enqueues.get(token);
    return (
      kind === fleetingJob.name &&
      act !== undefined &&
      act.transaction === undefined &&
      this.faultThatAllows('delay', act.process, act.from, act.to ?? Infinity) !== undefined
    );
  }

  /**
   * Until when a run certainly was the job's run. Where its outcome was accepted that is to its end, whatever fault has
   * struck meanwhile: nobody can have taken the job over. Else it is until a fault, or another process, may have done so.
   */
  certainEnd(job: JobEvidence, run: HandlerCall): number {
    if (run.to !== undefined && wasAccepted(job, run)) {
      return run.to;
    }
    const next = job.calls.find(({ attempt }) => attempt > run.attempt);
    const fault = this.faultThatAllows('rerun', run.process, run.from, run.to ?? Infinity);
    return Math.min(run.to ?? run.from, next?.from ?? Infinity, fault ? Math.max(fault.from, run.from) : Infinity);
  }
}
